import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable } from '../../../src/cli/output/printable.js'

test('what a terminal would act upon is a blank', () => {
  expect(printable('a\u001b[2J\u0007b\nc\u009bd\te')).toBe('a [2J b c d e')
})

test('always one line without control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text)).toMatch(/^[^\u0000-\u001f\u007f-\u009f]*$/)
    }),
  )
})
