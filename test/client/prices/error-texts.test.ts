import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Address } from '../../../src/base/domain/address.js'
import { correlate, ErrorTexts } from '../../../src/client/prices/error-texts.js'
import { FrameLedger } from '../../../src/client/prices/frame-ledger.js'
import { TopicTable } from '../../../src/client/prices/topics.js'

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

/** The error texts of a connection that has received one that matches no topic, and topics that are pending. */
const createErrorTexts = (bases: readonly Address[]) => {
  const topics = new TopicTable()
  const states = bases.map((base) => topics.create(base, `svc-${base}`))
  for (const state of states) state.subscribeSentAt = 0
  const texts = new ErrorTexts(topics, new FrameLedger(topics, 300))
  texts.correlate('Error: internal', 0, 'Error: internal')
  const searches = vi.spyOn(topics, 'states', 'get')
  return { states, texts, searches }
}

it('searches the topics once for a pending one, and again when that one is answered', () => {
  const { states, texts, searches } = createErrorTexts(['0xaa', '0xbb'])
  for (let frame = 0; frame < 100; frame++) expect(texts.delaysResubscribes).toBe(true)
  expect(searches).toHaveBeenCalledTimes(1)
  states[0]!.lastActivityAt = 1
  for (let frame = 0; frame < 100; frame++) expect(texts.delaysResubscribes).toBe(true)
  expect(searches).toHaveBeenCalledTimes(2)
  states[1]!.resubscribeBy = 1
  expect(texts.delaysResubscribes).toBe(false)
})

it('reads two pending topics for a text without an address, however many are pending', () => {
  const { states, texts, searches } = createErrorTexts(['0xaa', '0xbb', '0xcc', '0xdd'])
  let reads = 0
  searches.mockImplementation(function* () {
    for (const state of states) {
      reads++
      yield state
    }
  })
  expect(texts.correlate('Error: internal', 1, 'Error: internal')).toBeUndefined()
  expect(reads).toBe(2)
})

describe('the texts that match no topic', () => {
  const noTopics = (): ErrorTexts => {
    const topics = new TopicTable()
    return new ErrorTexts(topics, new FrameLedger(topics, 300))
  }

  it('are those since a given time', () => {
    const texts = noTopics()
    texts.correlate('early', 10, 'early')
    texts.correlate('late', 20, 'late')
    expect(texts.since(10)).toEqual(['early', 'late'])
    expect(texts.since(11)).toEqual(['late'])
    expect(texts.since(21)).toEqual([])
  })

  it('are the latest 16, each truncated to 2 kB', () => {
    const texts = noTopics()
    for (let at = 0; at < 100; at++) texts.correlate('text', at, `${at} ${'x'.repeat(10_000)}`)
    const stored = texts.since(0)
    expect(stored.length).toBe(16)
    expect(stored[0]).toMatch(/^84 x/)
    expect(stored.at(-1)).toMatch(/^99 x/)
    expect(Math.max(...stored.map((text) => text.length))).toBe(2048)
  })
})
