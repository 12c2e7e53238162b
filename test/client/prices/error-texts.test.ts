import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/base/domain/topic.js'
import { ErrorTexts } from '../../../src/client/prices/error-texts.js'
import { SentFrames } from '../../../src/client/prices/sent-frames.js'
import { TopicTable } from '../../../src/client/prices/topics.js'

/**
 * The topic that the text rejects: `unconfirmed` topics wait for their confirmation, `confirmed` ones have it, `left` ones were
 * unsubscribed before it.
 */
const rejects = (
  text: string,
  unconfirmed: readonly Address[],
  { confirmed = [], left = [] }: { confirmed?: readonly Address[]; left?: readonly Address[] } = {},
): Address | undefined => {
  const topics = new TopicTable()
  const texts = new ErrorTexts(new SentFrames(topics, 300), 300)
  for (const base of new Set([...confirmed, ...unconfirmed, ...left])) {
    const state = topics.create(base, `svc-${base}`)
    state.subscribeSentAt = 0
    texts.onSubscribe(base, 0)
    if (confirmed.includes(base)) {
      state.lastActivityAt = 1
      texts.onConfirmed(base)
    }
    if (left.includes(base)) topics.delete(base)
  }
  return texts.correlate(text, 1, text)
}

describe('an error text that contains an address', () => {
  it('rejects the topic of its first address, which names the base of a pair', () => {
    expect(rejects('Invalid token 0xaa', ['0xaa', '0xbb', '0xcc'])).toBe('0xaa')
    expect(rejects('does not support the pair (0xAA, 0xdef)', ['0xaa', '0xbb'])).toBe('0xaa')
    expect(rejects('cannot serve (0xaa, 0xbb)', ['0xaa', '0xbb'])).toBe('0xaa')
  })

  it('rejects no topic of a further address', () => {
    expect(rejects('does not support the pair (0xdef, 0xaa)', ['0xaa'])).toBeUndefined()
    expect(rejects('cannot serve (0xbb, 0xaa)', ['0xaa'], { confirmed: ['0xbb'] })).toBeUndefined()
  })

  it('ignores the case of the address', () => {
    expect(rejects('svc-0xAb: no price', ['0xab', '0xcc'])).toBe('0xab')
  })

  it('rejects no topic that is confirmed or left, even if one subscribe frame is pending', () => {
    expect(rejects('Invalid token 0xcc', ['0xaa'])).toBeUndefined()
    expect(rejects('Invalid token 0xcc', ['0xaa'], { confirmed: ['0xcc'] })).toBeUndefined()
    expect(rejects('Invalid token 0xcc', ['0xaa'], { left: ['0xcc'] })).toBeUndefined()
  })

  it('rejects no topic whose address is a prefix of the address in the text', () => {
    expect(rejects('Invalid token 0xaab', ['0xaa'])).toBeUndefined()
  })

  it('is found in quotes, in brackets, and in a topic with a quote address', () => {
    for (const text of ['Token { addr: "0xaa" }', '(0xaa,0xff)', 'svc-0xaa-0xff', 'topic=0xaa.', '0xaa\n']) {
      expect(rejects(text, ['0xaa', '0xbb'])).toBe('0xaa')
    }
  })
})

describe('an error text without an address', () => {
  it('rejects the topic of the only pending subscribe frame', () => {
    expect(rejects('Invalid request', ['0xaa'])).toBe('0xaa')
    expect(rejects('Invalid request', ['0xaa'], { confirmed: ['0xbb'] })).toBe('0xaa')
  })

  it('rejects no topic when two subscribe frames are pending, or none', () => {
    expect(rejects('Invalid request', ['0xaa', '0xbb'])).toBeUndefined()
    expect(rejects('Internal error', [])).toBeUndefined()
  })

  it('counts the pending subscribe frame of a topic that is left since', () => {
    expect(rejects('Invalid request', ['0xaa'], { left: ['0xbb'] })).toBeUndefined()
    expect(rejects('Invalid request', [], { left: ['0xbb'] })).toBe('0xbb')
  })

  it('may contain a bare `0x`, or hex digits without `0x`', () => {
    expect(rejects('Error 500: bad hex after 0x, deadbeef', ['0xaa'])).toBe('0xaa')
  })
})

it('any error text rejects only a topic that is unconfirmed, or whose subscribe frame is pending', () => {
  const address = fc.constantFrom<Address[]>('0xaa', '0xbb', '0xab', '0xaabb')
  const part = fc.oneof(fc.string(), address, fc.constantFrom('0x', '0xAA', ' ', 'svc-'))
  const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, fc.uniqueArray(address), fc.uniqueArray(address), (input, unconfirmed, left) => {
      const rejected = rejects(input, unconfirmed, { left })
      if (rejected !== undefined) expect([...unconfirmed, ...left]).toContain(rejected)
    }),
  )
})

/** The error texts of a connection that has received one that matches no topic, and topics that are pending. */
const createErrorTexts = (bases: readonly Address[]) => {
  const topics = new TopicTable()
  for (const base of bases) topics.create(base, `svc-${base}`).subscribeSentAt = 0
  const texts = new ErrorTexts(new SentFrames(topics, 300), 300)
  texts.correlate('Error: internal', 0, 'Error: internal')
  return texts
}

describe('the subscribe frames that an error text may answer', () => {
  const answersIn = (text: string, now: number, fill: (texts: ErrorTexts) => void): Address | undefined => {
    const texts = createErrorTexts(['0xaa', '0xbb'])
    fill(texts)
    return texts.correlate(text, now, text)
  }

  it('are those of the last `confirmTimeout`', () => {
    const sendTwo = (texts: ErrorTexts): void => {
      texts.onSubscribe('0xaa', 0)
      texts.onSubscribe('0xbb', 20)
    }
    expect(answersIn('Invalid request', 299, sendTwo)).toBeUndefined()
    expect(answersIn('Invalid request', 300, sendTwo)).toBe('0xbb')
    expect(answersIn('Invalid request', 320, sendTwo)).toBeUndefined()
  })

  it('are one for each frame of a topic: a text answers one, a confirmation all of them', () => {
    const sendThree = (texts: ErrorTexts): void => {
      for (const at of [0, 10, 20]) texts.onSubscribe('0xcc', at)
      texts.onSubscribe('0xaa', 20)
      texts.correlate('Invalid token 0xcc', 30, '')
    }
    expect(answersIn('Invalid request', 30, sendThree)).toBeUndefined()
    const confirmed = (texts: ErrorTexts): void => {
      sendThree(texts)
      texts.onConfirmed('0xcc')
    }
    expect(answersIn('Invalid request', 30, confirmed)).toBe('0xaa')
  })
})

describe('the texts that match no topic', () => {
  const noTopics = (): ErrorTexts => {
    const topics = new TopicTable()
    return new ErrorTexts(new SentFrames(topics, 300), 300)
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
