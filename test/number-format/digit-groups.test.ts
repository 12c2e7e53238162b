import { expect, test } from 'vitest'
import {
  digitGroups,
  withCommas,
  withNarrowSpaces,
  withoutSeparators,
} from '../../src/number-format/digit-groups.js'

test.each([
  ['0', ['0'], ''],
  ['999.50', ['999'], '.50'],
  ['7104.346', ['7', '104'], '.346'],
  ['-61685.9950', ['-61', '685'], '.9950'],
  ['-100', ['-100'], ''],
  ['123456789012.1234', ['123', '456', '789', '012'], '.1234'],
  ['1.2346e20', ['1'], '.2346e20'],
])('digitGroups of %s', (decimal, whole, fraction) => {
  const groups = digitGroups(decimal)
  expect(groups).toEqual({ whole, fraction })
  expect(withoutSeparators(groups)).toBe(decimal)
})

test('digit groups are separated by commas or by narrow spaces', () => {
  expect(withCommas(digitGroups('1234567.8912'))).toBe('1,234,567.8912')
  expect(withNarrowSpaces(digitGroups('1234567.8912'))).toBe('1\u202f234\u202f567.8912')
})
