import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { parseJson } from '../../../src/wire/codec/json.js'
import { anyText, deepText, mutate } from '../../support/arbitraries.js'

it('returns the problem of a text that is not JSON in words, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.json().chain(mutate), deepText), (text) => {
      const parsed = parseJson(text, (_name, value) => value)
      if (isLeft(parsed)) expect(parsed.left).toMatch(/\w/)
    }),
  )
})

it('uses the last value of a duplicate field', () => {
  expect(parseJson('{"a":"x","b":"y","a":"z"}')).toEqual(right({ a: 'z', b: 'y' }))
})
