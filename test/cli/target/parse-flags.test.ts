import { expect, test } from 'vitest'
import {
  numberFlag,
  parseDuration,
  parseNumber,
  parseRotation,
  parseTime,
  parseWalkForward,
} from '../../../src/cli/target/parse-flags.js'
import {
  integerOption,
  numberOption,
  portOption,
  timerOption,
} from '../../../src/base/option-kinds/number-option.js'

test('accepts a whole number within bounds', () => {
  const parse = parseNumber(portOption())
  expect(['0', '3000', '065535'].map(parse)).toEqual([0, 3000, 65_535])
  for (const text of ['', ' ', '-1', '65536', '1.5', '1e3', '0x10', 'ten', '3000 ', 'NaN', 'Infinity']) {
    expect(() => parse(text)).toThrow('Give a port from 0 to 65535.')
  }
})

test('accepts a negative whole number within bounds', () => {
  expect(parseNumber(integerOption({ min: -5, max: 5, default: 0 }))('-5')).toBe(-5)
})

test('accepts a number above 0', () => {
  const parse = parseNumber(numberOption({ above: 0, max: 1000, default: 1 }))
  expect(['1', '0.5', '1000'].map(parse)).toEqual([1, 0.5, 1000])
  for (const text of ['', '0', '0.0', '-1', '1001', '1e2', '.5', 'fast']) {
    expect(() => parse(text)).toThrow('Give a number above 0 and at most 1000.')
  }
})

test('takes the default from the option', () => {
  expect(numberFlag('--interval <ms>', 'interval, in ms', timerOption({ default: 1000 }))).toMatchObject({
    long: '--interval',
    description: 'interval, in ms',
    defaultValue: 1000,
  })
  expect(numberFlag('--port <port>', 'port', portOption()).defaultValue).toBe(0)
})

test.each([
  ['30s', 30_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['1.5h', 5_400_000],
  ['1d', 86_400_000],
  ['365d', 31_536_000_000],
])('a rotation of %s is %s ms', (text, ms) => {
  expect(parseRotation(text)).toBe(ms)
})

test.each([
  ['1', 1000],
  ['0.5', 500],
  ['250ms', 250],
  ['2000000', 2_000_000_000],
  ['30s', 30_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['24d', 2_073_600_000],
])('a duration of %s is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '0s', '1', 'h', '1.5', '-1h', '1 h', '1H', '366d', '99999999d', '1h30m', '999ms'])(
  '%j is no rotation',
  (text) => {
    expect(() => parseRotation(text)).toThrow('Give a duration like 30s, 15m, 1h or 1d, at most 365d.')
  },
)

test.each(['', '0', '0.0', '0s', '-1', '1e2', '.5', '1.5x', '0ms', '25d', '2073601', 'long'])(
  '%j is no duration',
  (text) => {
    expect(() => parseDuration(text)).toThrow(
      'Give a number of seconds above 0, or a duration like 30s, 15m, 1h or 1d, at most 24d.',
    )
  },
)

test.each([
  ['2026-11-22', Date.UTC(2026, 10, 22)],
  ['2026-11-22T10:00Z', Date.UTC(2026, 10, 22, 10)],
  ['2026-11-22T10:00:01.5Z', Date.UTC(2026, 10, 22, 10, 0, 1, 500)],
  ['2026-11-22T10:00:00+02:00', Date.UTC(2026, 10, 22, 8)],
  ['1795341600000', 1_795_341_600_000],
  ['100000000000', 100_000_000_000],
  ['1970-01-01', 0],
  ['2028-02-29', Date.UTC(2028, 1, 29)],
  ['2026-11-01T00:30+02:00', Date.UTC(2026, 9, 31, 22, 30)],
])('a time of %s is %s ms since the Unix epoch', (text, ms) => {
  expect(parseTime(text)).toBe(ms)
})

test.each([
  ...['', '2026-11-22T10:00:00', '2026-13-01', '2026-11-22 10:00Z', 'now', '-5', '1.5', '1e9', '10:00'],
  // Seconds, and a year.
  ...['0', '1795341600', '99999999999', '2026'],
  // Days that their months lack.
  ...['2026-02-29', '2026-02-30T10:00Z', '2026-11-31T10:00:00+02:00', '2026-11-00'],
])('%j is no time, or has no zone', (text) => {
  expect(() => parseTime(text)).toThrow(
    'Give a time like 2026-11-22T10:00:00Z or 2026-11-22, or ms (not seconds) since the Unix epoch.',
  )
})

test('accepts the two lengths of a walk-forward, each with its unit', () => {
  expect(parseWalkForward('7d/1d')).toEqual({ train: 7 * 86_400_000, test: 86_400_000 })
  expect(parseWalkForward('90s/5m')).toEqual({ train: 90_000, test: 300_000 })
  for (const text of [
    '',
    '7d',
    '7/1',
    '7d/1',
    '7/1d',
    '0d/1d',
    '7d/0s',
    '7d/1d/1d',
    '7d-1d',
    '7d /1d',
    '7w/1d',
  ]) {
    expect(() => parseWalkForward(text)).toThrow(
      'Give the lengths of training and test, each with its unit, like 7d/1d, 12h/90m or 60s/10s.',
    )
  }
})
