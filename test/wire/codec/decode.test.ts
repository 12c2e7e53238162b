import fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { describe, expect, it } from 'vitest'
import { malformedError, toDecodeError } from '../../../src/wire/codec/decode.js'
import type { DecodeError } from '../../../src/base/errors/model.js'
import { expectDecodeError } from '../../base/errors/support/well-formed.js'
import { anyText } from '../../support/arbitraries.js'

const failing = (codec: t.Decoder<unknown, unknown>, value: unknown, input = 'input'): DecodeError => {
  const decoded = codec.decode(value)
  return isLeft(decoded) ? toDecodeError('thing', input, decoded.left) : expect.unreachable()
}

describe('toDecodeError', () => {
  const codec = t.type({ a: t.type({ b: t.array(t.number, 'numbers') }, 'inner') }, 'outer')

  it('reports path, expected and actual', () => {
    expect(failing(codec, { a: { b: [1, 'x'] } })).toMatchObject({
      message: 'thing: a.b.1: expected number, got "x"',
      issues: [{ path: 'a.b.1', expected: 'number', actual: '"x"' }],
    })
    expect(failing(codec, { a: {} }).issues).toEqual([
      { path: 'a.b', expected: 'numbers', actual: 'nothing' },
    ])
    expect(failing(codec, []).issues).toEqual([{ path: '', expected: 'outer', actual: 'an array' }])
  })

  it.each<[unknown, string]>([
    [undefined, 'nothing'],
    [null, 'null'],
    [true, 'true'],
    [1.5, '1.5'],
    [NaN, 'NaN'],
    ['x', '"x"'],
    ['say "x"', '"say \\"x\\""'],
    ['a\n\u0007\u0085\u2028\u007fb', '"a\\n\\u0007\\u0085\\u2028\\u007fb"'],
    ['x'.repeat(100), `"${'x'.repeat(59)}…`],
    [[1], 'an array'],
    [{ a: 1 }, 'an object'],
    [1n, 'bigint'],
    [Symbol('x'), 'symbol'],
  ])('formats the actual value %o as %s', (value, actual) => {
    expect(failing(t.never, value).issues).toEqual([{ path: '', expected: 'never', actual }])
  })

  it('is well-formed for any value and any input', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.anything()), anyText, (value, input) => {
        expectDecodeError(failing(t.never, value, input), input)
      }),
    )
  })

  it('does not split a surrogate pair', () => {
    fc.assert(
      fc.property(fc.nat({ max: 80 }), (length) => {
        const { actual } = failing(t.never, `${'x'.repeat(length)}${'😀'.repeat(40)}`).issues[0]!
        expect(actual).not.toMatch(/\p{Cs}/u)
      }),
    )
  })

  it('reports at most 20 issues', () => {
    const error = failing(t.array(t.number), Array.from({ length: 10_000 }, String))
    expect(error.issues.map(({ path }) => path)).toEqual(Array.from({ length: 20 }, (_, i) => String(i)))
  })
})

describe('malformedError', () => {
  it('contains the text, or the given problem', () => {
    expect(malformedError('price', 'x', 'a number')).toMatchObject({
      message: 'price: expected a number, got "x"',
      input: 'x',
      issues: [{ path: '', expected: 'a number', actual: '"x"' }],
    })
    expect(malformedError('depth', '{', 'JSON', 'unexpected\nend').message).toBe(
      'depth: expected JSON, got unexpected end',
    )
  })

  it('is well-formed for any input', () => {
    fc.assert(
      fc.property(anyText, fc.option(anyText, { nil: undefined }), (input, problem) => {
        expectDecodeError(malformedError('depth', input, 'JSON', problem), input)
      }),
    )
  })
})
