import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { defineTokens, parseTopic, type TokenDefinition } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { address, anyText, builtInPropertyName, service } from '../support/arbitraries.js'
import { unsafeInLine } from '../support/unsafe-characters.js'

const wethAddress = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const symbol = fc.oneof(anyText, builtInPropertyName)
const definition = fc.record({ address, decimals: fc.integer({ min: 0, max: 255 }) })

const problemOf = (definitions: unknown, options?: unknown): unknown => {
  try {
    return defineTokens(definitions as Record<string, TokenDefinition>, options as object)
  } catch (thrown) {
    return thrown
  }
}

describe('defineTokens', () => {
  it('returns tokens by symbol, with the topic of the address in its spelling', () => {
    expect(
      defineTokens({
        WETH: { address: wethAddress, decimals: 18 },
        'USD₮0': { address: '0xFd', decimals: 6 },
      }),
    ).toEqual({
      WETH: { symbol: 'WETH', address: wethAddress, topic: `svc-${wethAddress}`, decimals: 18 },
      'USD₮0': { symbol: 'USD₮0', address: '0xFd', topic: 'svc-0xFd', decimals: 6 },
    })
  })

  it('returns a token for each symbol, with a topic that parseTopic accepts', () => {
    const definitions = fc.dictionary(symbol, definition)
    fc.assert(
      fc.property(definitions, service, (given, name) => {
        const tokens = defineTokens(given, { service: name })
        expect(Object.keys(tokens)).toEqual(Object.keys(given))
        for (const [key, token] of Object.entries(tokens)) {
          expect(token).toMatchObject({
            symbol: key,
            ...Object.entries(given).find(([each]) => each === key)?.[1],
          })
          expect(isRight(parseTopic(token.topic, name))).toBe(true)
        }
      }),
    )
  })

  it('ignores properties that it does not know', () => {
    const listed = { WETH: { address: wethAddress, decimals: 18, name: 'Wrapped Ether' } }
    expect(Object.keys(defineTokens(listed).WETH)).toEqual(['symbol', 'address', 'topic', 'decimals'])
  })

  it.each([
    [{ WETH: { address: '82af', decimals: 18 } }, 'WETH.address: expected 0x and hex digits, got "82af"'],
    [{ WETH: { address: '0x', decimals: 18 } }, 'WETH.address: expected 0x and hex digits, got "0x"'],
    [{ WETH: { address: 'svc-0x82af', decimals: 18 } }, /^WETH\.address: expected 0x/],
    [{ WETH: { decimals: 18 } }, 'WETH.address: expected 0x and hex digits, got undefined'],
    [
      { AB: { address: '0xab', decimals: 0 }, WETH: { address: '0x82af', decimals: '18' } },
      'WETH.decimals: expected a whole number from 0 to 255, got "18"',
    ],
    [{ WETH: { address: '0x82af', decimals: 1.5 } }, /^WETH\.decimals: .* got 1\.5$/],
    [{ WETH: { address: '0x82af', decimals: 256 } }, /^WETH\.decimals: .* got 256$/],
    [{ WETH: { address: '0x82af', decimals: -1 } }, /^WETH\.decimals: .* got -1$/],
    [{ WETH: { address: '0x82af', decimals: NaN } }, /^WETH\.decimals: .* got NaN$/],
    [{ WETH: { address: '0x82af' } }, /^WETH\.decimals: .* got undefined$/],
    [{ WETH: { address: '0x82af', decimal: 18 } }, 'WETH.decimal: did you mean WETH.decimals?'],
    [{ WETH: '0x82af' }, 'WETH: expected an object like { address, decimals }, got "0x82af"'],
    [{ WETH: null }, /^WETH: expected an object/],
    [[], /^tokens: expected an object like { WETH: { address, decimals } }/],
    [undefined, /^tokens: expected an object/],
  ])('throws a ConfigurationError for %o', (definitions, message) => {
    const thrown = problemOf(definitions)
    expect(thrown).toMatchObject({ _tag: 'ConfigurationError' })
    expect((thrown as Error).message).toMatch(message)
  })

  it.each([
    [{ service: '' }, 'service: expected letters and digits'],
    [{ service: 'my svc' }, 'service: expected letters and digits'],
    [{ service: undefined }, 'service: is undefined'],
    [{ servise: 'acme' }, 'servise: did you mean service?'],
    ['acme', 'options: expected an object'],
  ])('throws a ConfigurationError for the options %o', (options, message) => {
    const thrown = problemOf({}, options)
    expect(thrown).toMatchObject({ _tag: 'ConfigurationError' })
    expect((thrown as Error).message).toContain(message)
  })

  it('returns tokens, or throws a ConfigurationError of one line, for any value', () => {
    const almost = fc.dictionary(symbol, fc.oneof(fc.anything(), fc.record({ address: fc.anything() })))
    fc.assert(
      fc.property(fc.oneof(fc.anything(), almost), (value) => {
        const result = problemOf(value)
        if (result instanceof Error) {
          expect(result).toMatchObject({ _tag: 'ConfigurationError' })
          expect(result.message).not.toMatch(unsafeInLine)
        }
      }),
    )
  })
})
