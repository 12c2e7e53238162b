import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainDecimal, withPlainDecimals } from '../../../src/base/domain/plain-decimal.js'

test('plainDecimal formats numbers of any size', () => {
  expect([2682.505, 0, 1e-7, 1.5e-7, 1e21, 1.25e22, 5e-324, -2.5e-7, -1e21].map(plainDecimal)).toEqual([
    '2682.505',
    '0',
    '0.0000001',
    '0.00000015',
    '1000000000000000000000',
    '12500000000000000000000',
    `0.${'0'.repeat(323)}5`,
    '-0.00000025',
    '-1000000000000000000000',
  ])
})

test('plainDecimal writes no exponent, and its text parses to the same number, for any number', () => {
  const amount = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
  fc.assert(
    fc.property(amount, (value) => {
      const text = plainDecimal(value)
      expect(text).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Number(text)).toBe(value)
    }),
  )
})

test('withPlainDecimals changes the exponents of numbers alone, for any JSON', () => {
  const value = fc
    .jsonValue({ noUnicodeString: false })
    .map((each): unknown => [each, 1e-7, '1e-7 "\\', -2.5e30])
  fc.assert(
    fc.property(value, (each) => {
      const json = withPlainDecimals(JSON.stringify(each))
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(each)))
      expect(json.replace(/"(?:[^"\\]|\\.)*"/g, '')).not.toMatch(/\de/)
    }),
  )
})
