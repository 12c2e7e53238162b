import { expect, test } from 'vitest'
import {
  formatAge,
  formatDuration,
  formatSeconds,
  formatTime,
  shortAddresses,
} from '../../src/display/texts.js'
import { wbtc, weth } from '../support/tokens.js'

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

test('formatDuration is in hours, minutes and seconds', () => {
  expect([-1, 3_723_000, 90_000_000].map(formatDuration)).toEqual(['0:00:00', '1:02:03', '25:00:00'])
})

test('shortAddresses keeps both ends of each address, and short ones whole', () => {
  expect(shortAddresses(`pair ${weth}-${wbtc} of 0xdead`)).toBe(
    'pair 0x82af\u2026bab1-0x2f2a\u20265b0f of 0xdead',
  )
})

test('formatTime gives ISO 8601, or the number outside the range of dates', () => {
  expect([0, 8.64e15, 8.64e15 + 1].map(formatTime)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '+275760-09-13T00:00:00.000Z',
    '8640000000000001',
  ])
})
