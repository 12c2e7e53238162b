import { expect, test } from 'vitest'
import { formatSeconds } from '../../../src/dashboard/text/seconds.js'

test('formatSeconds counts up in seconds, then with minutes and hours', () => {
  expect([-1, 0, 999, 59_999, 60_000, 125_000, 3_600_000, 90_061_000].map(formatSeconds)).toEqual([
    '0 s',
    '0 s',
    '0 s',
    '59 s',
    '1 min 00 s',
    '2 min 05 s',
    '1 h 00 min',
    '25 h 01 min',
  ])
})
