import { expect, test } from 'vitest'
import { parseDuration, parseRotation } from '../../../src/cli/input/duration-flag.js'
import { parseTime } from '../../../src/cli/input/time-flag.js'

test.each([
  ['30s', 30_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['365d', 31_536_000_000],
])('a rotation of %s is %s ms', (text, ms) => {
  expect(parseRotation(text)).toBe(ms)
})

test.each([
  ['1', 1000],
  ['0.5', 500],
  ['2000000', 2_000_000_000],
  ['30s', 30_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['24d', 2_073_600_000],
])('a duration of %s is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '0s', '1', 'h', '1.5h', '-1h', '1 h', '1H', '366d', '99999999d', '1h30m', '1ms'])(
  '%j is no rotation',
  (text) => {
    expect(() => parseRotation(text)).toThrow('Give a duration like 30s, 15m, 1h or 1d, at most 365d.')
  },
)

test.each(['', '0', '0.0', '0s', '-1', '1e2', '.5', '1.5h', '1ms', '25d', '2073601', 'long'])(
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
])('a time of %s is %s ms since the Unix epoch', (text, ms) => {
  expect(parseTime(text)).toBe(ms)
})

test.each(['', '2026-11-22T10:00:00', '2026-13-01', '2026-11-22 10:00Z', 'now', '-5', '1.5', '1e9', '10:00'])(
  '%j is no time, or has no zone',
  (text) => {
    expect(() => parseTime(text)).toThrow(
      'Give a time like 2026-11-22T10:00:00Z, or ms since the Unix epoch.',
    )
  },
)

test.each(['0', '1795341600', '99999999999'])('a time of %s is rejected as seconds', (text) => {
  expect(() => parseTime(text)).toThrow('expected an ISO time or Unix ms; this looks like seconds')
})
