import fc from 'fast-check'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { JsonReader, NumberLiteral, parseJson, parseJsonExactly } from '../../../src/wire/codec/json.js'
import { anyText, deepText, mutate } from '../../support/arbitraries.js'

/** Converts literals to the numbers that `JSON.parse` returns. */
const withFloats = (value: unknown): unknown => {
  if (value instanceof NumberLiteral) return Number(value.text)
  if (Array.isArray(value)) return value.map(withFloats)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withFloats(field)]))
}

const json = fc.oneof(
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify(value, null, 2)),
)

describe('parseJsonExactly', () => {
  it('returns the value of JSON.parse, with each number as its text', () => {
    fc.assert(
      fc.property(json, (text) => {
        const withoutProto = (name: string, value: unknown) => (name === '__proto__' ? undefined : value)
        const exact = parseJsonExactly(text)
        if (isLeft(exact)) return expect.unreachable()
        expect(withFloats(exact.right)).toEqual(JSON.parse(text, withoutProto))
      }),
    )
  })

  it('accepts exactly the texts that JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, json.chain(mutate)), (text) => {
        expect(isRight(parseJsonExactly(text))).toBe(isRight(parseJson(text)))
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps the text of a number unchanged', () => {
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 50n }),
        fc.constantFrom('', '.0', '.50e-3', 'E+7'),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(number, (text) => {
        expect(parseJsonExactly(`[${text}]`)).toEqual(right([new NumberLiteral(text)]))
        expect(String(new NumberLiteral(text))).toBe(text)
      }),
    )
  })

  it('removes __proto__ at any depth', () => {
    const parsed = parseJsonExactly('{"__proto__":1,"a":[{"__proto__":{"b":2},"c":"x"}]}')
    expect(parsed).toEqual(right({ a: [{ c: 'x' }] }))
    if (isLeft(parsed)) return expect.unreachable()
    expect(Object.getPrototypeOf(parsed.right)).toBe(Object.prototype)
    expect(Object.keys(parsed.right as object)).toEqual(['a'])
  })
})

describe.each([
  ['parseJson', parseJson],
  ['parseJsonExactly', parseJsonExactly],
])('%s', (_name, parse) => {
  it('returns the problem in words as a Left, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, json.chain(mutate), deepText), (text) => {
        const parsed = parse(text)
        if (isLeft(parsed)) expect(parsed.left).toMatch(/\w/)
      }),
    )
  })

  it('uses the last value of a duplicate field', () => {
    expect(parse('{"a":"x","b":"y","a":"z"}')).toEqual(right({ a: 'z', b: 'y' }))
  })
})

describe('JsonReader', () => {
  it('reads each character of a long text a constant number of times', () => {
    // Each text makes a reader quadratic that searches the rest of the text again for each token.
    const texts = [
      `["${'\\"'.repeat(50_000)}"]`,
      `["${'\\\\'.repeat(50_000)}"]`,
      `[${'"\\n","",'.repeat(20_000)}1]`,
      `[${'"",'.repeat(50_000)}"\\n"]`,
      `[${' '.repeat(100_000)}1${' '.repeat(100_000)}]`,
      `[${'1'.repeat(100_000)}]`,
    ]
    for (const text of texts) {
      const reads = countReads(text)
      expect(reads.value).toEqual(JSON.parse(text))
      expect(reads.characters).toBeLessThanOrEqual(5 * text.length)
    }
  })
})

/** Reads a text and counts the characters that the reader's calls pass over. */
const countReads = (text: string): { readonly value: unknown; readonly characters: number } => {
  let characters = 0
  const count = <A>(by: number, result: A): A => {
    characters += by
    return result
  }
  const found = (index: number, from: number): number => (index === -1 ? text.length : index) - from + 1
  const counted = {
    charCodeAt: (at: number) => count(1, text.charCodeAt(at)),
    slice: (start: number, end: number) => count(end - start, text.slice(start, end)),
    indexOf: (part: string, from: number) =>
      count(found(text.indexOf(part, from), from), text.indexOf(part, from)),
    toString: () => text,
  }
  const value = new JsonReader(counted as unknown as string, Number).read()
  return { value, characters }
}
