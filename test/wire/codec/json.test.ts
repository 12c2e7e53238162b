import fc from 'fast-check'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { decodeDepth } from '../../../src/wire/codec/depth.js'
import { parseJson } from '../../../src/wire/codec/decode.js'
import { decodeFrame } from '../../../src/wire/codec/price-frame.js'
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

it('ignores a byte order mark before a price frame and before a depth body', () => {
  const frame = '{"topic":"svc-0xab","price":1.5}'
  expect(decodeFrame(`\uFEFF${frame}`)).toEqual(decodeFrame(frame))
  expect(isRight(decodeFrame(`\uFEFF${frame}`))).toBe(true)
  const side = '{"total_quantity":9336472979533427001,"total_quantity_usd":1}'
  const depth = `{"price":1,"timestamp":0,"buy":${side},"sell":${side}}`
  expect(isRight(decodeDepth(depth))).toBe(true)
  expect(decodeDepth(`\uFEFF${depth}`)).toEqual(decodeDepth(depth))
})
