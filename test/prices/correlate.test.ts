import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../src/domain/address.js'
import { correlate } from '../../src/prices/correlate.js'

/** What the text rejects while these topics wait and these subscribes are unanswered. */
const rejects = (
  text: string,
  waiting: readonly Address[],
  unanswered: readonly Address[] = waiting,
): Address | undefined =>
  correlate(text, { isUnconfirmed: (base) => waiting.includes(base), pending: () => unanswered })

describe('a text with an address in it', () => {
  it('rejects the waiting topic of that address, however many wait', () => {
    expect(rejects('Invalid token 0xaa', ['0xaa', '0xbb', '0xcc'])).toBe('0xaa')
  })

  it('rejects it in any case, and as often as it is named', () => {
    expect(rejects('svc-0xAb: no price for 0xaB or 0xab', ['0xab', '0xcc'])).toBe('0xab')
  })

  it('rejects the one that waits, though it names others that do not', () => {
    expect(rejects('does not support the pair (0xAA, 0xdef)', ['0xaa', '0xbb'])).toBe('0xaa')
  })

  it('rejects nothing where it names two that wait', () => {
    expect(rejects('cannot serve (0xaa, 0xbb)', ['0xaa', '0xbb'])).toBeUndefined()
  })

  it('rejects nothing where none that it names waits, even with one subscribe unanswered', () => {
    expect(rejects('Invalid token 0xcc', ['0xaa'])).toBeUndefined()
  })

  it('does not take the beginning of a longer address for that of a topic', () => {
    expect(rejects('Invalid token 0xaab', ['0xaa'])).toBeUndefined()
  })

  it('finds it in quotes, brackets and topics with a quote address', () => {
    for (const text of ['Token { addr: "0xaa" }', '(0xaa,0xff)', 'svc-0xaa-0xff', 'topic=0xaa.', '0xaa\n']) {
      expect(rejects(text, ['0xaa', '0xbb'])).toBe('0xaa')
    }
  })
})

describe('a text without an address', () => {
  it('rejects the topic of the only unanswered subscribe', () => {
    expect(rejects('Invalid request', ['0xaa'])).toBe('0xaa')
  })

  it('rejects nothing where two are unanswered', () => {
    expect(rejects('Invalid request', ['0xaa', '0xbb'])).toBeUndefined()
  })

  it('counts the subscribe of a topic that was left since', () => {
    expect(rejects('Invalid request', ['0xaa'], ['0xaa', '0xbb'])).toBeUndefined()
    expect(rejects('Invalid request', [], ['0xbb'])).toBe('0xbb')
  })

  it('rejects nothing where all was answered', () => {
    expect(rejects('Internal error', [])).toBeUndefined()
  })

  it('is one with a bare `0x`, or with hex digits that nothing marks as an address', () => {
    expect(rejects('Error 500: bad hex after 0x, deadbeef', ['0xaa'])).toBe('0xaa')
  })
})

describe('any text', () => {
  it('never rejects what neither waits nor is unanswered, and never more than one', () => {
    const address = fc.constantFrom<Address[]>('0xaa', '0xbb', '0xab', '0xaabb')
    const text = fc
      .array(fc.oneof(fc.string(), address, fc.constantFrom('0x', '0xAA', ' ', 'svc-')), { maxLength: 6 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.uniqueArray(address), fc.uniqueArray(address), (said, waiting, left) => {
        const unanswered = [...new Set([...waiting, ...left])]
        const rejected = rejects(said, waiting, unanswered)
        if (rejected !== undefined) expect(unanswered).toContain(rejected)
      }),
    )
  })
})
