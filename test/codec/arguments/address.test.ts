import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/codec/arguments/address.js'
import { isAddress } from '../../../src/domain/address.js'
import { expectWellFormed } from '../../errors/support/well-formed.js'
import { address, anyText, mutate } from '../../support/arbitraries.js'

describe('parseAddress', () => {
  it('returns an address unchanged', () => {
    fc.assert(
      fc.property(address, (text) => {
        expect(parseAddress(text)).toEqual(right(text))
      }),
    )
  })

  it('returns an address or an InvalidMint for any value, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, address.chain(mutate), fc.anything()), (value) => {
        const parsed = parseAddress(value as string)
        expect(isLeft(parsed)).toBe(!isAddress(value))
        if (isLeft(parsed)) expectWellFormed(parsed.left)
      }),
    )
  })

  it.each(['', '0x', '82af', '0xzz', 'svc-0x82af', ' 0x82af', '0x82af\n'])('rejects %j', (text) => {
    expect(parseAddress(text)).toMatchObject({ left: { _tag: 'InvalidMint', mint: text } })
  })
})
