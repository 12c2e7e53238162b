import { expect, test } from 'vitest'
import { changeOf, spanText } from '../../../src/dashboard/text/change.js'

test('changeOf has a direction and a sign, unless the change is 0 after rounding', () => {
  const change = (price: number, from: number) => changeOf({ price }, from)
  expect(change(101, 100)).toEqual({ direction: 'up', text: '+1.00 %' })
  expect(change(99.5, 100)).toEqual({ direction: 'down', text: '\u22120.50 %' })
  expect(change(100.001, 100)).toEqual({ direction: 'flat', text: '0.00 %' })
  expect(change(1e9, 1)).toEqual({ direction: 'up', text: '+1.0e+11 %' })
})

test('spanText is in minutes', () => {
  expect([0, 59_999, 60_000, 300_000].map(spanText)).toEqual(['in 1 min', 'in 1 min', 'in 1 min', 'in 5 min'])
})
