import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/domain/address.js'
import { correlate } from '../../../src/prices/acks/correlate.js'

/** The topic that the text rejects, given the unconfirmed topics and the topics of the pending subscribe frames. */
const rejects = (
  text: string,
  unconfirmed: readonly Address[],
  pending: readonly Address[] = unconfirmed,
): Address | undefined =>
  correlate(text, { isUnconfirmed: (base) => unconfirmed.includes(base), pending: () => pending })

describe('correlate, for a text that contains an address', () => {
  it('matches no topic and looks up no address when it contains more than 1000', () => {
    const lookedUp: Address[] = []
    const acks = {
      isUnconfirmed: (base: Address) => lookedUp.push(base) > 0 && base === '0xaa',
      pending: (): readonly Address[] => expect.unreachable(),
    }
    const others = Array.from({ length: 999 }, (_, index) => `0x${index}`).join(' ')
    expect(correlate(`0xaa ${others}`, acks)).toBe('0xaa')
    expect(lookedUp).toHaveLength(1000)
    lookedUp.length = 0
    expect(correlate(`0xaa ${others} 0xff`, acks)).toBeUndefined()
    expect(lookedUp).toEqual([])
  })

  it('matches the unconfirmed topic of that address among several unconfirmed ones', () => {
    expect(rejects('Invalid token 0xaa', ['0xaa', '0xbb', '0xcc'])).toBe('0xaa')
  })

  it('ignores the case of the address, and repetitions of it', () => {
    expect(rejects('svc-0xAb: no price for 0xaB or 0xab', ['0xab', '0xcc'])).toBe('0xab')
  })

  it('matches the only unconfirmed topic among several addresses', () => {
    expect(rejects('does not support the pair (0xAA, 0xdef)', ['0xaa', '0xbb'])).toBe('0xaa')
  })

  it('matches no topic when it contains the addresses of two unconfirmed topics', () => {
    expect(rejects('cannot serve (0xaa, 0xbb)', ['0xaa', '0xbb'])).toBeUndefined()
  })

  it('matches no topic when none of its addresses is unconfirmed, even if one subscribe frame is pending', () => {
    expect(rejects('Invalid token 0xcc', ['0xaa'])).toBeUndefined()
  })

  it('does not match a topic whose address is a prefix of the address in the text', () => {
    expect(rejects('Invalid token 0xaab', ['0xaa'])).toBeUndefined()
  })

  it('finds the address in quotes, in brackets, and in a topic with a quote address', () => {
    for (const text of ['Token { addr: "0xaa" }', '(0xaa,0xff)', 'svc-0xaa-0xff', 'topic=0xaa.', '0xaa\n']) {
      expect(rejects(text, ['0xaa', '0xbb'])).toBe('0xaa')
    }
  })
})

describe('correlate, for a text without an address', () => {
  it('matches the topic of the only pending subscribe frame', () => {
    expect(rejects('Invalid request', ['0xaa'])).toBe('0xaa')
  })

  it('matches no topic when two subscribe frames are pending', () => {
    expect(rejects('Invalid request', ['0xaa', '0xbb'])).toBeUndefined()
  })

  it('counts the pending subscribe frame of a topic that is unsubscribed since', () => {
    expect(rejects('Invalid request', ['0xaa'], ['0xaa', '0xbb'])).toBeUndefined()
    expect(rejects('Invalid request', [], ['0xbb'])).toBe('0xbb')
  })

  it('matches no topic when no subscribe frame is pending', () => {
    expect(rejects('Internal error', [])).toBeUndefined()
  })

  it('does not treat a bare `0x`, or hex digits without `0x`, as an address', () => {
    expect(rejects('Error 500: bad hex after 0x, deadbeef', ['0xaa'])).toBe('0xaa')
  })
})

describe('correlate, for any text', () => {
  it('matches only an unconfirmed topic or the topic of a pending subscribe frame', () => {
    const address = fc.constantFrom<Address[]>('0xaa', '0xbb', '0xab', '0xaabb')
    const text = fc
      .array(fc.oneof(fc.string(), address, fc.constantFrom('0x', '0xAA', ' ', 'svc-')), { maxLength: 6 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(
        text,
        fc.uniqueArray(address),
        fc.uniqueArray(address),
        (input, unconfirmed, unsubscribed) => {
          const pending = [...new Set([...unconfirmed, ...unsubscribed])]
          const rejected = rejects(input, unconfirmed, pending)
          if (rejected !== undefined) expect(pending).toContain(rejected)
        },
      ),
    )
  })
})
