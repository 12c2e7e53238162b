import fc from 'fast-check'
import { right } from 'fp-ts/lib/Either.js'
import { ConfigurationError, decodeDepth, encodeDepth, type DepthSnapshot } from 'svc-streams'
import { depth } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { recogniseDepth } from '../../src/codec/fast-path/depth-text.js'
import { encodedDepth } from '../support/arbitraries.js'

const side = { totalQuantity: 9336472979533427000n, totalQuantityUsd: 25044.1 }
const snapshot: DepthSnapshot = { price: 2682.5, timestamp: 0, buy: side, sell: side }

describe('encodeDepth (section 2.1)', () => {
  it('writes the documented fields, with all digits of the quantities', () => {
    const text = '{"total_quantity":9336472979533427000,"total_quantity_usd":25044.1}'
    expect(encodeDepth(snapshot)).toBe(`{"price":2682.5,"timestamp":0,"buy":${text},"sell":${text}}`)
  })

  it('writes what decodeDepth decodes to the same depth, also by its fast path', () => {
    fc.assert(
      fc.property(encodedDepth, ({ value }) => {
        expect(decodeDepth(encodeDepth(value))).toStrictEqual(right(value))
        expect(recogniseDepth(encodeDepth(value))).toStrictEqual(value)
      }),
    )
  })

  it.each([
    ['price', 5e-324],
    ['price', Number.MAX_VALUE],
    ['timestamp', -0],
    ['timestamp', -1],
    ['timestamp', Number.MAX_SAFE_INTEGER],
  ])('keeps a %s of %d', (field, value) => {
    const unusual = { ...snapshot, [field]: value }
    expect(decodeDepth(encodeDepth(unusual))).toStrictEqual(right(unusual))
  })

  it('keeps quantities and totals at the edges of their ranges', () => {
    for (const totalQuantityUsd of [0, -0, 1e-7, 1e21, Number.MAX_VALUE]) {
      for (const totalQuantity of [0n, 2n ** 64n, 10n ** 40n, 10n ** 5000n - 1n]) {
        const unusual = { ...snapshot, sell: { totalQuantity, totalQuantityUsd } }
        expect(decodeDepth(encodeDepth(unusual))).toStrictEqual(right(unusual))
      }
    }
  })

  it('leaves out the mint and the time of receipt', () => {
    const { mint, receivedAt, ...rest } = depth('0xab', snapshot)
    expect(decodeDepth(encodeDepth({ mint, receivedAt, ...rest } as DepthSnapshot))).toEqual(right(rest))
  })

  it.each<[string, object]>([
    ['price', { price: NaN }],
    ['price', { price: Infinity }],
    ['price', { price: 0 }],
    ['price', { price: '1' }],
    ['timestamp', { timestamp: 1.5 }],
    ['timestamp', { timestamp: NaN }],
    ['buy.totalQuantity', { buy: { ...side, totalQuantity: -1n } }],
    ['sell.totalQuantity', { sell: { ...side, totalQuantity: 1 } }],
    ['buy.totalQuantityUsd', { buy: { ...side, totalQuantityUsd: Infinity } }],
    ['sell.totalQuantityUsd', { sell: { ...side, totalQuantityUsd: -1 } }],
  ])('throws a ConfigurationError for an invalid %s: %o', (path, fields) => {
    const encode = () => encodeDepth({ ...snapshot, ...fields })
    expect(encode).toThrow(ConfigurationError)
    expect(encode).toThrow(new RegExp(`^depth\\.${path}: expected an? `))
  })
})
