import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/base/domain/topic.js'
import { SentFrames } from '../../../src/client/prices/sent-frames.js'
import { Subscriptions } from '../../../src/client/prices/subscriptions.js'
import { TopicTable } from '../../../src/client/prices/topics.js'
import { createPriceSubscriber } from './support/price-subscriber.js'

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
  const sentFrames = new SentFrames(topics, 300)
  for (const base of new Set([...confirmed, ...unconfirmed, ...left])) {
    const state = topics.create(base, `svc-${base}`)
    state.subscribeSentAt = 0
    sentFrames.onSubscribe(base, 0, false)
    if (confirmed.includes(base)) {
      state.lastActivityAt = 1
      sentFrames.onConfirmed(base)
    }
    if (left.includes(base)) topics.delete(base)
  }
  return sentFrames.onErrorText(text, 1)
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

describe('the subscribe frames that an error text may answer', () => {
  const answersIn = (text: string, now: number, fill: (sentFrames: SentFrames) => void) => {
    const topics = new TopicTable()
    for (const base of ['0xaa', '0xbb'] as const) topics.create(base, `svc-${base}`).subscribeSentAt = 0
    const sentFrames = new SentFrames(topics, 300)
    expect(sentFrames.onErrorText('Error: internal', 0)).toBeUndefined()
    fill(sentFrames)
    return sentFrames.onErrorText(text, now)
  }

  it('are those of the last `confirmTimeout`', () => {
    const sendTwo = (sentFrames: SentFrames): void => {
      sentFrames.onSubscribe('0xaa', 0, false)
      sentFrames.onSubscribe('0xbb', 20, false)
    }
    expect(answersIn('Invalid request', 299, sendTwo)).toBeUndefined()
    expect(answersIn('Invalid request', 300, sendTwo)).toBe('0xbb')
    expect(answersIn('Invalid request', 320, sendTwo)).toBeUndefined()
  })

  it('are those of any time if the text names the topic, until it is confirmed', () => {
    const topics = new TopicTable()
    const sentFrames = new SentFrames(topics, 300)
    // Left, requested again, and live by a price that was sent before.
    Object.assign(topics.create('0xaa', 'svc-0xaa'), { subscribeSentAt: 0, lastActivityAt: 10, live: true })
    const answerOf = (confirm: () => void): string | undefined => {
      sentFrames.onSubscribe('0xaa', 0, false)
      confirm()
      return sentFrames.onErrorText('Invalid token 0xaa', 1000)
    }
    expect(answerOf(() => undefined)).toBe('0xaa')
    expect(answerOf(() => sentFrames.onConfirmed('0xaa'))).toBeUndefined()
  })

  it('are one for each frame of a topic: a text answers one, a confirmation all of them', () => {
    const sendThree = (sentFrames: SentFrames): void => {
      for (const at of [0, 10, 20]) sentFrames.onSubscribe('0xcc', at, at > 0)
      sentFrames.onSubscribe('0xaa', 20, false)
      sentFrames.onErrorText('Invalid token 0xcc', 30)
    }
    expect(answersIn('Invalid request', 30, sendThree)).toBeUndefined()
    const confirmed = (sentFrames: SentFrames): void => {
      sendThree(sentFrames)
      sentFrames.onConfirmed('0xcc')
    }
    expect(answersIn('Invalid request', 30, confirmed)).toBe('0xaa')
  })

  it('are the later ones of a topic if the first was not answered in time', () => {
    const sendAgain = (sentFrames: SentFrames): void => {
      for (const at of [0, 300]) sentFrames.onSubscribe('0xaa', at, at > 0)
      expect(sentFrames.onErrorText('Invalid request', 310)).toBe('0xaa')
      sentFrames.onSubscribe('0xbb', 320, false)
    }
    expect(answersIn('Invalid request', 330, sendAgain)).toBe('0xbb')
  })
})

describe('a SubscriptionTimeout', () => {
  /** The texts in the error of a topic that is requested at 10 and never confirmed. */
  const textsAfter = (receive: (subscriptions: Subscriptions) => void): readonly string[] => {
    const subscriptions = new Subscriptions({ linger: 0, staleAfter: 1000, confirmTimeout: 300 })
    subscriptions.onOpen()
    for (const base of ['0xaa', '0xbb'] as const)
      subscriptions.addSubscriber(base, createPriceSubscriber(`svc-${base}`))
    subscriptions.takeFrames(Infinity, 10)
    receive(subscriptions)
    const [timeout] = subscriptions.onDeadline(310)
    const event = timeout?._tag === 'Deliver' ? timeout.eventFor('svc-0xaa') : undefined
    return event?._tag === 'Left' && event.left._tag === 'SubscriptionTimeout' ? event.left.recent : []
  }

  it('contains the texts that match no topic, since the topic was requested', () => {
    const texts = textsAfter((subscriptions) => {
      subscriptions.onErrorText('early', 9)
      subscriptions.onErrorText('first', 10)
      subscriptions.onErrorText('second', 20)
    })
    expect(texts).toEqual(['first', 'second'])
  })

  it('contains the latest 16 texts, each truncated to 2 kB', () => {
    const texts = textsAfter((subscriptions) => {
      for (let each = 0; each < 100; each++)
        subscriptions.onErrorText('text', 20, `${each} ${'x'.repeat(10_000)}`)
    })
    expect(texts.length).toBe(16)
    expect(texts[0]).toMatch(/^84 x/)
    expect(texts.at(-1)).toMatch(/^99 x/)
    expect(Math.max(...texts.map((text) => text.length))).toBe(2048)
  })
})
