import { describe, expect, it, vi } from 'vitest'
import type { Address } from '../../src/domain/address.js'
import type { Topic } from '../../src/domain/topic.js'
import type { Delivery } from '../../src/prices/fan-out.js'
import { initialEvent } from '../../src/prices/price-events.js'
import { Subscriptions } from '../../src/prices/subscriptions.js'
import {
  lastPrice,
  type TopicState,
  type PriceSubscriber,
  type ReceivedPrice,
} from '../../src/prices/topic-state.js'
import { subscribes, unsubscribes } from '../support/marbles.js'
import { listenerOf } from './support/subscribers.js'
import { brief } from '../support/virtual.js'

const patience = { linger: 100, staleAfter: 1000, confirmTimeout: 300 }
const aa: Address = '0xaa'
const bb: Address = '0xbb'
const cc: Address = '0xcc'

const topicOf = (base: Address): Topic => `svc-${base}`
const quote = (price: number): ReceivedPrice => ({ price, receivedAt: 0, epoch: 1 })

interface Wanted {
  readonly subscriptions: Subscriptions
  /** Of each topic, in their order. */
  readonly listeners: readonly PriceSubscriber[]
  readonly entries: readonly TopicState[]
}

/** Topics with a listener each, asked for on an open connection at 0. */
const asked = (bases: readonly Address[], options: Partial<typeof patience> = {}): Wanted => {
  const subscriptions = new Subscriptions({ ...patience, ...options })
  const listeners = bases.map((base) => listenerOf(topicOf(base)))
  const entries = listeners.map((listener, index) => subscriptions.addSubscriber(bases[index]!, listener))
  subscriptions.onOpen()
  subscriptions.takeFrames(Infinity, 0)
  return { subscriptions, listeners, entries }
}

const told = (deliveries: readonly Delivery[]): readonly string[] =>
  deliveries.flatMap(({ subscribers, eventFor }) =>
    subscribers.map(({ topic }) => `${topic} ${brief(eventFor(topic))}`),
  )

it('who leaves after all was forgotten leaves nothing, however many they are', () => {
  const { subscriptions, entries, listeners } = asked([aa, bb])
  subscriptions.onDown()
  subscriptions.clear()
  const [entry] = entries
  const { subscribers } = entry!
  subscriptions.removeSubscriber(entry!, listeners[0]!, 10)
  expect(entry!.subscribers).toBe(subscribers)
  expect([...subscriptions.states]).toEqual([])
  expect(subscriptions.nextDeadline).toBe(Infinity)
})

describe('frames', () => {
  it('are owed once for each topic, to as many as are asked for at a time, in order', () => {
    const subscriptions = new Subscriptions(patience)
    for (const base of [aa, bb, cc]) subscriptions.addSubscriber(base, listenerOf(topicOf(base)))
    subscriptions.onOpen()
    expect(subscriptions.hasPendingFrames).toBe(true)
    expect(subscriptions.takeFrames(2, 0)).toEqual([subscribes('svc-0xaa'), subscribes('svc-0xbb')])
    expect(subscriptions.hasPendingFrames).toBe(true)
    expect(subscriptions.takeFrames(2, 0)).toEqual([subscribes('svc-0xcc')])
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.takeFrames(2, 0)).toEqual([])
  })

  it('are not owed for more listeners of one topic', () => {
    const { subscriptions } = asked([aa])
    subscriptions.addSubscriber(aa, listenerOf('svc-0xAA'))
    expect(subscriptions.takeFrames(Infinity, 1)).toEqual([])
  })

  it('ask as the first listener wrote the topic, though it has left since', () => {
    const subscriptions = new Subscriptions(patience)
    const first = listenerOf('svc-0xAA')
    const entry = subscriptions.addSubscriber(aa, first)
    subscriptions.addSubscriber(aa, listenerOf('svc-0xaa'))
    subscriptions.removeSubscriber(entry, first, 0)
    subscriptions.onOpen()
    expect(subscriptions.takeFrames(Infinity, 0)).toEqual([subscribes('svc-0xAA')])
  })

  it('end the subscription of a topic that nobody came back to, once, and forget it', () => {
    const { subscriptions, listeners, entries } = asked([aa, bb])
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 10)
    expect(subscriptions.nextDeadline).toBe(110)
    expect(subscriptions.expireDeadlines(109)).toEqual([])
    expect(subscriptions.hasPendingFrames).toBe(false)
    subscriptions.expireDeadlines(110)
    expect(subscriptions.takeFrames(Infinity, 110)).toEqual([unsubscribes('svc-0xaa')])
    expect(subscriptions.has(aa)).toBe(false)
    expect(subscriptions.size).toBe(1)
    subscriptions.expireDeadlines(500)
    expect(subscriptions.takeFrames(Infinity, 500)).not.toContain(unsubscribes('svc-0xaa'))
  })

  it('are not owed where somebody came back between the end of the wait and the frame', () => {
    const { subscriptions, listeners, entries } = asked([aa])
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 10)
    subscriptions.expireDeadlines(110)
    expect(subscriptions.addSubscriber(aa, listenerOf('svc-0xaa'))).toBe(entries[0])
    expect(subscriptions.takeFrames(Infinity, 110)).toEqual([])
    expect(subscriptions.expireDeadlines(250)).toEqual([])
    expect(subscriptions.has(aa)).toBe(true)
  })

  it('end it at once where there is no linger, and ask anew for who comes after', () => {
    const { subscriptions, listeners, entries } = asked([aa], { linger: 0 })
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 10)
    expect(subscriptions.takeFrames(Infinity, 10)).toEqual([unsubscribes('svc-0xaa')])
    expect(subscriptions.addSubscriber(aa, listenerOf('svc-0xaa'))).not.toBe(entries[0])
    expect(subscriptions.takeFrames(Infinity, 11)).toEqual([subscribes('svc-0xaa')])
  })

  it('are not owed for a topic that came and went before it was asked for', () => {
    const { subscriptions } = asked([])
    const listener = listenerOf('svc-0xaa')
    subscriptions.removeSubscriber(subscriptions.addSubscriber(aa, listener), listener, 1)
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.size).toBe(0)
  })

  it('are not owed for a topic that is left by one of two', () => {
    const { subscriptions, entries, listeners } = asked([aa])
    subscriptions.addSubscriber(aa, listenerOf('svc-0xaa'))
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 10)
    expect(subscriptions.nextDeadline).toBe(300)
    subscriptions.onConfirmation(aa, 20)
    expect(subscriptions.expireDeadlines(900)).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 900)).toEqual([])
  })

  it('are owed for all that is wanted on a new connection, and for nothing that only lingered', () => {
    const { subscriptions, entries, listeners } = asked([aa, bb, cc])
    subscriptions.removeSubscriber(entries[1]!, listeners[1]!, 10)
    expect(subscriptions.onDown()).toEqual([listeners[0], listeners[2]])
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.nextDeadline).toBe(Infinity)
    subscriptions.onOpen()
    expect(subscriptions.takeFrames(Infinity, 50)).toEqual([subscribes('svc-0xaa'), subscribes('svc-0xcc')])
  })

  it('leave a listener who has left a topic that was forgotten without any effect', () => {
    const { subscriptions, entries, listeners } = asked([aa])
    subscriptions.onErrorText('Invalid token 0xaa', 1)
    subscriptions.addSubscriber(aa, listenerOf('svc-0xaa'))
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 2)
    expect(subscriptions.takeFrames(Infinity, 500)).toEqual([subscribes('svc-0xaa')])
  })
})

describe('a topic asked for', () => {
  it('is out of time after `confirmTimeout`, is told so, and is asked for again', () => {
    const { subscriptions } = asked([aa])
    expect(subscriptions.nextDeadline).toBe(300)
    expect(subscriptions.expireDeadlines(299)).toEqual([])
    expect(told(subscriptions.expireDeadlines(300))).toEqual(['svc-0xaa SubscriptionTimeout'])
    expect(told(subscriptions.expireDeadlines(300))).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 310)).toEqual([subscribes('svc-0xaa')])
    expect(told(subscriptions.expireDeadlines(609))).toEqual([])
    expect(told(subscriptions.expireDeadlines(610))).toEqual(['svc-0xaa SubscriptionTimeout'])
  })

  it('is asked for again for those who listen alone: left before or after its time, it is given up', () => {
    for (const leftAt of [290, 310]) {
      const { subscriptions, listeners, entries } = asked([aa])
      if (leftAt < 300) subscriptions.removeSubscriber(entries[0]!, listeners[0]!, leftAt)
      subscriptions.expireDeadlines(300)
      if (leftAt > 300) subscriptions.removeSubscriber(entries[0]!, listeners[0]!, leftAt)
      expect(subscriptions.takeFrames(Infinity, 310)).toEqual([unsubscribes('svc-0xaa')])
      expect(subscriptions.size).toBe(0)
    }
  })

  it('that was given up, and is then confirmed after all, lingers as any other', () => {
    const { subscriptions, listeners, entries } = asked([aa])
    subscriptions.expireDeadlines(300)
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 310)
    subscriptions.onConfirmation(aa, 320)
    expect(subscriptions.takeFrames(Infinity, 320)).toEqual([])
    expect(subscriptions.nextDeadline).toBe(410)
    subscriptions.expireDeadlines(410)
    expect(subscriptions.takeFrames(Infinity, 410)).toEqual([unsubscribes('svc-0xaa')])
  })

  it('is confirmed by a confirmation, or by a price', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.onConfirmation(aa, 100)
    subscriptions.onPrice(bb, quote(2), 200)
    expect(told(subscriptions.expireDeadlines(300))).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([])
    expect(told(subscriptions.expireDeadlines(1100))).toEqual(['svc-0xaa Stale'])
    expect(told(subscriptions.expireDeadlines(1199))).toEqual([])
    expect(told(subscriptions.expireDeadlines(1200))).toEqual(['svc-0xbb Stale'])
  })

  it('is not asked for again where a late confirmation comes before the frame', () => {
    for (const answer of ['confirmed', 'priced'] as const) {
      const { subscriptions } = asked([aa])
      subscriptions.expireDeadlines(300)
      if (answer === 'confirmed') subscriptions.onConfirmation(aa, 301)
      else subscriptions.onPrice(aa, quote(1), 301)
      expect(subscriptions.takeFrames(Infinity, 302)).toEqual([])
      expect(told(subscriptions.expireDeadlines(1300))).toEqual([])
      expect(told(subscriptions.expireDeadlines(1301))).toEqual(['svc-0xaa Stale'])
    }
  })

  it('is not silent for longer because it is confirmed once more', () => {
    const { subscriptions } = asked([aa])
    subscriptions.onConfirmation(aa, 100)
    subscriptions.onConfirmation(aa, 900)
    expect(told(subscriptions.expireDeadlines(1100))).toEqual(['svc-0xaa Stale'])
  })

  it('tells `Stale` once, until a price mends it', () => {
    const { subscriptions } = asked([aa])
    subscriptions.onPrice(aa, quote(1), 0)
    expect(told(subscriptions.expireDeadlines(1000))).toHaveLength(1)
    expect(told(subscriptions.expireDeadlines(5000))).toEqual([])
    expect(subscriptions.nextDeadline).toBe(Infinity)
    subscriptions.onPrice(aa, quote(2), 6000)
    expect(subscriptions.nextDeadline).toBe(7000)
    expect(told(subscriptions.expireDeadlines(7000))).toHaveLength(1)
  })

  it('goes on being silent while it lingers', () => {
    const { subscriptions, entries, listeners } = asked([aa], { linger: 5000 })
    subscriptions.onPrice(aa, quote(1), 0)
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 10)
    expect(told(subscriptions.expireDeadlines(1000))).toEqual([])
    const entry = subscriptions.addSubscriber(aa, listenerOf('svc-0xaa'))
    expect(brief(initialEvent(entry, patience, 1500)?.('svc-0xAA'))).toBe('Stale')
    expect(initialEvent(entry, patience, 1500)?.('svc-0xAA')).toMatchObject({
      left: { topic: 'svc-0xAA', silentForMs: 1500, last: { topic: 'svc-0xAA', price: 1 } },
    })
  })

  it('gives who joins its latest price, and nothing where it has none', () => {
    const { subscriptions, entries } = asked([aa])
    expect(initialEvent(entries[0]!, patience, 1)).toBeUndefined()
    subscriptions.onConfirmation(aa, 2)
    expect(initialEvent(entries[0]!, patience, 3)).toBeUndefined()
    subscriptions.onPrice(aa, quote(7), 4)
    expect(brief(initialEvent(entries[0]!, patience, 5)?.('svc-0xaa'))).toBe('7')
    subscriptions.onDown()
    expect(initialEvent(entries[0]!, patience, 6)).toBeUndefined()
  })

  it('is priced on its connection only once it was asked for there', () => {
    const { subscriptions } = asked([aa])
    subscriptions.onDown()
    expect(subscriptions.onPrice(aa, quote(1), 1)).toBeUndefined()
    subscriptions.onOpen()
    expect(subscriptions.onPrice(aa, quote(1), 2)).toBeUndefined()
    subscriptions.takeFrames(Infinity, 3)
    expect(lastPrice(subscriptions.onPrice(aa, quote(1), 4)!)).toEqual(quote(1))
  })
})

describe('error texts that belong to no topic', () => {
  const timeoutOf = (subscriptions: Subscriptions, now: number) =>
    subscriptions.expireDeadlines(now).map(({ eventFor }) => eventFor('svc-0xaa'))

  it('are told to each topic whose wait they came in, and to no other', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.onErrorText('early', 100)
    subscriptions.addSubscriber(cc, listenerOf('svc-0xcc'))
    subscriptions.takeFrames(Infinity, 200)
    subscriptions.onErrorText('late', 250)
    expect(timeoutOf(subscriptions, 300)).toMatchObject([
      { left: { recent: ['early', 'late'] } },
      { left: { recent: ['early', 'late'] } },
    ])
    expect(timeoutOf(subscriptions, 500)).toMatchObject([{ left: { recent: ['late'] } }])
  })

  it('are kept up to 2 kB each, and no more than the latest 16', () => {
    const { subscriptions } = asked([aa, bb])
    for (let number = 1; number <= 20; number++)
      subscriptions.onErrorText(`${number} ${'x'.repeat(5000)}`, number)
    const [first] = timeoutOf(subscriptions, 300)
    const { recent } = (first as { readonly left: { readonly recent: readonly string[] } }).left
    expect(recent.map((text) => parseInt(text))).toEqual(Array.from({ length: 16 }, (_, index) => index + 5))
    expect(recent.every((text) => text.length === 2048)).toBe(true)
  })

  it('are forgotten with the connection', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.onErrorText('of the last connection', 10)
    subscriptions.onDown()
    subscriptions.onOpen()
    subscriptions.takeFrames(Infinity, 10)
    expect(timeoutOf(subscriptions, 310)).toMatchObject([{ left: { recent: [] } }, { left: { recent: [] } }])
    expect(subscriptions.takeFrames(Infinity, 310)).toHaveLength(2)
  })

  it('make what is asked again go one by one, each when the one before was answered or is out of time', () => {
    const { subscriptions } = asked([aa, bb, cc])
    subscriptions.onErrorText('Error', 1)
    subscriptions.expireDeadlines(300)
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([subscribes('svc-0xaa')])
    expect(subscriptions.hasPendingFrames).toBe(false)
    subscriptions.onConfirmation(aa, 310)
    expect(subscriptions.hasPendingFrames).toBe(true)
    expect(subscriptions.takeFrames(Infinity, 320)).toEqual([subscribes('svc-0xbb')])
    expect(told(subscriptions.expireDeadlines(620))).toEqual(['svc-0xbb SubscriptionTimeout'])
    expect(subscriptions.takeFrames(Infinity, 620)).toEqual([subscribes('svc-0xcc')])
    expect(told([subscriptions.onErrorText('Error', 630)!])).toEqual(['svc-0xcc SubscriptionRejected'])
    expect(subscriptions.takeFrames(Infinity, 640)).toEqual([subscribes('svc-0xbb')])
  })

  it('are what holds back: without any, what is asked again goes at once', () => {
    const { subscriptions } = asked([aa])
    subscriptions.addSubscriber(bb, listenerOf('svc-0xbb'))
    subscriptions.takeFrames(Infinity, 100)
    subscriptions.expireDeadlines(300)
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([subscribes('svc-0xaa')])
    subscriptions.expireDeadlines(400)
    expect(subscriptions.takeFrames(Infinity, 400)).toEqual([subscribes('svc-0xbb')])
  })

  it('do not hold back what is asked for the first time', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.onErrorText('Error', 1)
    subscriptions.expireDeadlines(300)
    subscriptions.takeFrames(Infinity, 300)
    subscriptions.addSubscriber(cc, listenerOf('svc-0xcc'))
    expect(subscriptions.takeFrames(Infinity, 301)).toEqual([subscribes('svc-0xcc')])
  })

  it('do not keep a topic that was left meanwhile from being unsubscribed', () => {
    const { subscriptions, entries, listeners } = asked([aa, bb])
    subscriptions.onErrorText('Error', 1)
    subscriptions.expireDeadlines(300)
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([subscribes('svc-0xaa')])
    subscriptions.removeSubscriber(entries[1]!, listeners[1]!, 310)
    subscriptions.expireDeadlines(600)
    expect(subscriptions.takeFrames(Infinity, 600)).toEqual([
      unsubscribes('svc-0xbb'),
      subscribes('svc-0xaa'),
    ])
  })

  it('cost one look at the topics for each frame, however many are held back', () => {
    const bases = Array.from({ length: 50 }, (_, index): Address => `0x${index.toString(16)}`)
    const { subscriptions } = asked(bases)
    subscriptions.onErrorText('Error', 1)
    subscriptions.expireDeadlines(300)
    subscriptions.takeFrames(Infinity, 300)
    const looks = vi.spyOn(Map.prototype, 'values')
    expect(subscriptions.hasPendingFrames).toBe(false)
    const count = looks.mock.calls.length
    looks.mockRestore()
    expect(count).toBeLessThanOrEqual(1)
  })
})

describe('an error text that belongs to a topic', () => {
  it('is the last thing that its listeners are told, each in its own spelling', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.addSubscriber(aa, listenerOf('svc-0xAA'))
    const delivery = subscriptions.onErrorText('Invalid token 0xaa', 1)
    expect(delivery?.completes).toBe(true)
    expect(told([delivery!])).toEqual(['svc-0xaa SubscriptionRejected', 'svc-0xAA SubscriptionRejected'])
    expect(delivery?.eventFor('svc-0xAA')).toMatchObject({
      left: { topic: 'svc-0xAA', reason: 'Invalid token 0xaa' },
    })
    expect(subscriptions.has(aa)).toBe(false)
  })

  it('is kept up to 2 kB', () => {
    const { subscriptions } = asked([aa])
    expect(subscriptions.onErrorText('x'.repeat(5000), 1)?.eventFor('svc-0xaa')).toMatchObject({
      left: { reason: 'x'.repeat(2048) },
    })
  })

  it('is nobody\'s business where the topic was left, and is not "uncorrelated"', () => {
    const { subscriptions, entries, listeners } = asked([aa], { linger: 0 })
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 1)
    subscriptions.takeFrames(Infinity, 1)
    expect(subscriptions.onErrorText('Error', 2)).toMatchObject({ subscribers: [] })
    // That was the answer: the next text is not for it.
    expect(subscriptions.onErrorText('Error', 3)).toBeUndefined()
  })

  it('is not that of a topic that is live again, though an earlier subscribe of it was never answered', () => {
    const { subscriptions, entries, listeners } = asked([aa], { linger: 0 })
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 1)
    subscriptions.takeFrames(Infinity, 1)
    subscriptions.addSubscriber(aa, listenerOf('svc-0xaa'))
    subscriptions.takeFrames(Infinity, 2)
    subscriptions.onPrice(aa, quote(1), 3)
    expect(subscriptions.onErrorText('Error', 4)).toMatchObject({ subscribers: [] })
    expect(subscriptions.has(aa)).toBe(true)
    expect(subscriptions.onPrice(aa, quote(2), 5)).toBeDefined()
  })

  it('counts the subscribe of a topic since left for as long as it may be answered', () => {
    const { subscriptions, entries, listeners } = asked([aa, bb], { linger: 0 })
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 200)
    subscriptions.takeFrames(Infinity, 200)
    expect(subscriptions.onErrorText('Error', 299)).toBeUndefined()
    subscriptions.expireDeadlines(300)
    subscriptions.takeFrames(Infinity, 300)
    expect(told([subscriptions.onErrorText('Error', 301)!])).toEqual(['svc-0xbb SubscriptionRejected'])
  })

  it('does not count the subscribe of a topic since left that was confirmed, before or after', () => {
    for (const confirmedAt of [100, 250]) {
      const { subscriptions, entries, listeners } = asked([aa, bb], { linger: 0 })
      if (confirmedAt < 200) subscriptions.onConfirmation(aa, confirmedAt)
      subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 200)
      subscriptions.takeFrames(Infinity, 200)
      if (confirmedAt > 200) subscriptions.onConfirmation(aa, confirmedAt)
      expect(told([subscriptions.onErrorText('Error', 260)!])).toEqual(['svc-0xbb SubscriptionRejected'])
    }
  })

  it('may still reject a topic whose wait has ended, by its address', () => {
    const { subscriptions } = asked([aa])
    subscriptions.expireDeadlines(300)
    expect(told([subscriptions.onErrorText('no such token: 0xAA', 301)!])).toEqual([
      'svc-0xaa SubscriptionRejected',
    ])
    expect(subscriptions.takeFrames(Infinity, 302)).toEqual([])
  })

  it('does not reject a topic that is confirmed, nor one that was priced', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.onConfirmation(aa, 1)
    subscriptions.onPrice(bb, quote(1), 1)
    expect(subscriptions.onErrorText('trouble with 0xaa', 2)).toBeUndefined()
    expect(subscriptions.onErrorText('trouble with 0xbb', 2)).toBeUndefined()
    expect(subscriptions.onErrorText('trouble', 2)).toBeUndefined()
    expect(subscriptions.size).toBe(2)
  })
})

describe('frames that come late', () => {
  it('are expected for a while after the topic was unsubscribed, and are not for others', () => {
    const { subscriptions, entries, listeners } = asked([aa], { linger: 0 })
    subscriptions.removeSubscriber(entries[0]!, listeners[0]!, 10)
    subscriptions.takeFrames(Infinity, 10)
    expect(subscriptions.isRecentlyUnsubscribed(aa, 309)).toBe(true)
    expect(subscriptions.isRecentlyUnsubscribed(aa, 310)).toBe(false)
    expect(subscriptions.isRecentlyUnsubscribed(bb, 20)).toBe(false)
    subscriptions.onDown()
    expect(subscriptions.isRecentlyUnsubscribed(aa, 20)).toBe(false)
  })
})
