import { expect, test } from 'vitest'
import { formatJson, formatTime } from '../../../src/cli/output/format.js'

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
