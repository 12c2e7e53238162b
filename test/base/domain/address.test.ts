import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalAddress, isAddress } from '../../../src/base/domain/topic.js'
import { address, withRandomCase, anyText } from '../../support/arbitraries.js'

describe('isAddress', () => {
  it('accepts 0x and hex digits in any case', () => {
    fc.assert(
      fc.property(address, (text) => {
        expect(isAddress(text)).toBe(true)
      }),
    )
  })

  it.each([
    '',
    '0x',
    '82af',
    '0X82af',
    '0x82ag',
    ' 0x82af',
    '0x82af ',
    '0x82af\n',
    '0x82af-0x1',
    '0x٣',
    '0xａ',
  ])('rejects %j', (text) => expect(isAddress(text)).toBe(false))

  it.each([undefined, null, 0x82, 1n, {}, ['0x82af'], new String('0x82af'), Symbol('0x82af')])(
    'rejects a value that is not a string: %o',
    (value) => expect(isAddress(value)).toBe(false),
  )

  it('rejects an address with a prefix or suffix', () => {
    const affix = anyText.filter((text) => !/^[0-9a-fA-F]*$/.test(text))
    fc.assert(
      fc.property(address, affix, (text, other) => {
        expect(isAddress(text + other)).toBe(false)
        expect(isAddress(other + text)).toBe(false)
      }),
    )
  })
})

describe('canonicalAddress', () => {
  it('returns the same address for every case of the digits', () => {
    const inTwoCases = address.chain((text) => fc.tuple(fc.constant(text), withRandomCase(text.slice(2))))
    fc.assert(
      fc.property(inTwoCases, ([text, digits]) => {
        const canonical = canonicalAddress(text)
        expect(canonicalAddress(`0x${digits}`)).toBe(canonical)
        expect(canonicalAddress(canonical)).toBe(canonical)
        expect(isAddress(canonical)).toBe(true)
      }),
    )
  })

  it('returns different addresses for different addresses', () => {
    fc.assert(
      fc.property(address, address, (a, b) => {
        expect(canonicalAddress(a) === canonicalAddress(b)).toBe(
          a.localeCompare(b, 'en', { sensitivity: 'accent' }) === 0,
        )
      }),
    )
  })
})
