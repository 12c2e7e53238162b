import { expect, test } from 'vitest'
import { jsonText } from '../../../src/cli/output/json-text.js'

test('quantities keep every digit, as text', () => {
  expect(JSON.parse(jsonText({ price: 1.5, buy: { totalQuantity: 2n ** 64n } }))).toEqual({
    price: 1.5,
    buy: { totalQuantity: '18446744073709551616' },
  })
})
