import { expect, test } from 'vitest'
import { numberFlag, parseNumber, parseSpeed } from '../../../src/cli/input/number-flag.js'
import {
  integerOption,
  numberOption,
  portOption,
  timerOption,
} from '../../../src/option-kinds/number-option.js'

test('accepts a whole number within bounds', () => {
  const parse = parseNumber(portOption())
  expect(['0', '3000', '065535'].map(parse)).toEqual([0, 3000, 65_535])
  for (const text of ['', ' ', '-1', '65536', '1.5', '1e3', '0x10', 'ten', '3000 ', 'NaN', 'Infinity']) {
    expect(() => parse(text)).toThrow('Give a whole number from 0 to 65535.')
  }
})

test('accepts a negative whole number within bounds', () => {
  expect(parseNumber(integerOption({ min: -5, max: 5, default: 0 }))('-5')).toBe(-5)
})

test('accepts a number above 0', () => {
  const parse = parseNumber(numberOption({ above: 0, max: 1000, default: 1 }))
  expect(['1', '0.5', '1000'].map(parse)).toEqual([1, 0.5, 1000])
  for (const text of ['', '0', '0.0', '-1', '1001', '1e2', '.5', 'fast']) {
    expect(() => parse(text)).toThrow('Give a number above 0, at most 1000.')
  }
})

test('accepts a speed above 0, or max', () => {
  const parse = parseSpeed(numberOption({ above: 0, default: 1 }))
  expect(['1', '0.5', '1000000', 'max'].map(parse)).toEqual([1, 0.5, 1e6, Infinity])
  for (const text of ['0', '-1', 'Infinity', 'MAX', '1x', '']) {
    expect(() => parse(text)).toThrow('Give a number above 0, or max.')
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
