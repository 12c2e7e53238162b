import { expect, test } from 'vitest'
import { formatAge, formatJson, formatTime } from '../../../src/cli/output/format.js'

test('formatAge picks seconds, minutes or hours', () => {
  expect([-5, 0, 950, 59_940, 60_000, 3_599_999, 7_200_000].map(formatAge)).toEqual([
    '0.0 s',
    '0.0 s',
    '0.9 s',
    '59.9 s',
    '1 min',
    '59 min',
    '2 h',
  ])
})

test('formatTime gives ISO 8601, or the number outside the range of dates', () => {
  expect([0, 8.64e15, 8.64e15 + 1].map(formatTime)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '+275760-09-13T00:00:00.000Z',
    '8640000000000001',
  ])
})

test('formatJson keeps every digit of a quantity, as text', () => {
  expect(JSON.parse(formatJson({ price: 1.5, buy: { totalQuantity: 2n ** 64n } }))).toEqual({
    price: 1.5,
    buy: { totalQuantity: '18446744073709551616' },
  })
})
