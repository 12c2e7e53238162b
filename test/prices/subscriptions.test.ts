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
import { listenerOf } from '../support/subscribers.js'
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
  const entries = listeners.map((listener, index) => subscriptions.join(bases[index]!, listener))
  subscriptions.connected()
  subscriptions.takeFrames(Infinity, 0)
  return { subscriptions, listeners, entries }
}

const told = (deliveries: readonly Delivery[]): readonly string[] =>
  deliveries.flatMap(({ subscribers, eventFor }) =>
    subscribers.map(({ topic }) => `${topic} ${brief(eventFor(topic))}`),
  )

it('who leaves after all was forgotten leaves nothing, however many they are', () => {
  const { subscriptions, entries, listeners } = asked([aa, bb])
  subscriptions.disconnected()
  subscriptions.clear()
  const [entry] = entries
  const { subscribers } = entry!
  subscriptions.leave(entry!, listeners[0]!, 10)
  expect(entry!.subscribers).toBe(subscribers)
  expect([...subscriptions.all]).toEqual([])
  expect(subscriptions.nextDeadline).toBe(Infinity)
})

describe('frames', () => {
  it('are owed once for each topic, to as many as are asked for at a time, in order', () => {
    const subscriptions = new Subscriptions(patience)
    for (const base of [aa, bb, cc]) subscriptions.join(base, listenerOf(topicOf(base)))
    subscriptions.connected()
    expect(subscriptions.hasPendingFrames).toBe(true)
    expect(subscriptions.takeFrames(2, 0)).toEqual([subscribes('svc-0xaa'), subscribes('svc-0xbb')])
    expect(subscriptions.hasPendingFrames).toBe(true)
    expect(subscriptions.takeFrames(2, 0)).toEqual([subscribes('svc-0xcc')])
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.takeFrames(2, 0)).toEqual([])
  })

  it('are not owed for more listeners of one topic', () => {
    const { subscriptions } = asked([aa])
    subscriptions.join(aa, listenerOf('svc-0xAA'))
    expect(subscriptions.takeFrames(Infinity, 1)).toEqual([])
  })

  it('ask as the first listener wrote the topic, though it has left since', () => {
    const subscriptions = new Subscriptions(patience)
    const first = listenerOf('svc-0xAA')
    const entry = subscriptions.join(aa, first)
    subscriptions.join(aa, listenerOf('svc-0xaa'))
    subscriptions.leave(entry, first, 0)
    subscriptions.connected()
    expect(subscriptions.takeFrames(Infinity, 0)).toEqual([subscribes('svc-0xAA')])
  })

  it('end the subscription of a topic that nobody came back to, once, and forget it', () => {
    const { subscriptions, listeners, entries } = asked([aa, bb])
    subscriptions.leave(entries[0]!, listeners[0]!, 10)
    expect(subscriptions.nextDeadline).toBe(110)
    expect(subscriptions.expire(109)).toEqual([])
    expect(subscriptions.hasPendingFrames).toBe(false)
    subscriptions.expire(110)
    expect(subscriptions.takeFrames(Infinity, 110)).toEqual([unsubscribes('svc-0xaa')])
    expect(subscriptions.has(aa)).toBe(false)
    expect(subscriptions.size).toBe(1)
    subscriptions.expire(500)
    expect(subscriptions.takeFrames(Infinity, 500)).not.toContain(unsubscribes('svc-0xaa'))
  })

  it('are not owed where somebody came back between the end of the wait and the frame', () => {
    const { subscriptions, listeners, entries } = asked([aa])
    subscriptions.leave(entries[0]!, listeners[0]!, 10)
    subscriptions.expire(110)
    expect(subscriptions.join(aa, listenerOf('svc-0xaa'))).toBe(entries[0])
    expect(subscriptions.takeFrames(Infinity, 110)).toEqual([])
    expect(subscriptions.expire(250)).toEqual([])
    expect(subscriptions.has(aa)).toBe(true)
  })

  it('end it at once where there is no linger, and ask anew for who comes after', () => {
    const { subscriptions, listeners, entries } = asked([aa], { linger: 0 })
    subscriptions.leave(entries[0]!, listeners[0]!, 10)
    expect(subscriptions.takeFrames(Infinity, 10)).toEqual([unsubscribes('svc-0xaa')])
    expect(subscriptions.join(aa, listenerOf('svc-0xaa'))).not.toBe(entries[0])
    expect(subscriptions.takeFrames(Infinity, 11)).toEqual([subscribes('svc-0xaa')])
  })

  it('are not owed for a topic that came and went before it was asked for', () => {
    const { subscriptions } = asked([])
    const listener = listenerOf('svc-0xaa')
    subscriptions.leave(subscriptions.join(aa, listener), listener, 1)
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.size).toBe(0)
  })

  it('are not owed for a topic that is left by one of two', () => {
    const { subscriptions, entries, listeners } = asked([aa])
    subscriptions.join(aa, listenerOf('svc-0xaa'))
    subscriptions.leave(entries[0]!, listeners[0]!, 10)
    expect(subscriptions.nextDeadline).toBe(300)
    subscriptions.confirmed(aa, 20)
    expect(subscriptions.expire(900)).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 900)).toEqual([])
  })

  it('are owed for all that is wanted on a new connection, and for nothing that only lingered', () => {
    const { subscriptions, entries, listeners } = asked([aa, bb, cc])
    subscriptions.leave(entries[1]!, listeners[1]!, 10)
    expect(subscriptions.disconnected()).toEqual([listeners[0], listeners[2]])
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.nextDeadline).toBe(Infinity)
    subscriptions.connected()
    expect(subscriptions.takeFrames(Infinity, 50)).toEqual([subscribes('svc-0xaa'), subscribes('svc-0xcc')])
  })

  it('leave a listener who has left a topic that was forgotten without any effect', () => {
    const { subscriptions, entries, listeners } = asked([aa])
    subscriptions.rejected('Invalid token 0xaa', 1)
    subscriptions.join(aa, listenerOf('svc-0xaa'))
    subscriptions.leave(entries[0]!, listeners[0]!, 2)
    expect(subscriptions.takeFrames(Infinity, 500)).toEqual([subscribes('svc-0xaa')])
  })
})

describe('a topic asked for', () => {
  it('is out of time after `confirmTimeout`, is told so, and is asked for again', () => {
    const { subscriptions } = asked([aa])
    expect(subscriptions.nextDeadline).toBe(300)
    expect(subscriptions.expire(299)).toEqual([])
    expect(told(subscriptions.expire(300))).toEqual(['svc-0xaa SubscriptionTimeout'])
    expect(told(subscriptions.expire(300))).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 310)).toEqual([subscribes('svc-0xaa')])
    expect(told(subscriptions.expire(609))).toEqual([])
    expect(told(subscriptions.expire(610))).toEqual(['svc-0xaa SubscriptionTimeout'])
  })

  it('is asked for again for those who listen alone: left before or after its time, it is given up', () => {
    for (const leftAt of [290, 310]) {
      const { subscriptions, listeners, entries } = asked([aa])
      if (leftAt < 300) subscriptions.leave(entries[0]!, listeners[0]!, leftAt)
      subscriptions.expire(300)
      if (leftAt > 300) subscriptions.leave(entries[0]!, listeners[0]!, leftAt)
      expect(subscriptions.takeFrames(Infinity, 310)).toEqual([unsubscribes('svc-0xaa')])
      expect(subscriptions.size).toBe(0)
    }
  })

  it('that was given up, and is then confirmed after all, lingers as any other', () => {
    const { subscriptions, listeners, entries } = asked([aa])
    subscriptions.expire(300)
    subscriptions.leave(entries[0]!, listeners[0]!, 310)
    subscriptions.confirmed(aa, 320)
    expect(subscriptions.takeFrames(Infinity, 320)).toEqual([])
    expect(subscriptions.nextDeadline).toBe(410)
    subscriptions.expire(410)
    expect(subscriptions.takeFrames(Infinity, 410)).toEqual([unsubscribes('svc-0xaa')])
  })

  it('is confirmed by a confirmation, or by a price', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.confirmed(aa, 100)
    subscriptions.priced(bb, quote(2), 200)
    expect(told(subscriptions.expire(300))).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([])
    expect(told(subscriptions.expire(1100))).toEqual(['svc-0xaa Stale'])
    expect(told(subscriptions.expire(1199))).toEqual([])
    expect(told(subscriptions.expire(1200))).toEqual(['svc-0xbb Stale'])
  })

  it('is not asked for again where a late confirmation comes before the frame', () => {
    for (const answer of ['confirmed', 'priced'] as const) {
      const { subscriptions } = asked([aa])
      subscriptions.expire(300)
      if (answer === 'confirmed') subscriptions.confirmed(aa, 301)
      else subscriptions.priced(aa, quote(1), 301)
      expect(subscriptions.takeFrames(Infinity, 302)).toEqual([])
      expect(told(subscriptions.expire(1300))).toEqual([])
      expect(told(subscriptions.expire(1301))).toEqual(['svc-0xaa Stale'])
    }
  })

  it('is not silent for longer because it is confirmed once more', () => {
    const { subscriptions } = asked([aa])
    subscriptions.confirmed(aa, 100)
    subscriptions.confirmed(aa, 900)
    expect(told(subscriptions.expire(1100))).toEqual(['svc-0xaa Stale'])
  })

  it('tells `Stale` once, until a price mends it', () => {
    const { subscriptions } = asked([aa])
    subscriptions.priced(aa, quote(1), 0)
    expect(told(subscriptions.expire(1000))).toHaveLength(1)
    expect(told(subscriptions.expire(5000))).toEqual([])
    expect(subscriptions.nextDeadline).toBe(Infinity)
    subscriptions.priced(aa, quote(2), 6000)
    expect(subscriptions.nextDeadline).toBe(7000)
    expect(told(subscriptions.expire(7000))).toHaveLength(1)
  })

  it('goes on being silent while it lingers', () => {
    const { subscriptions, entries, listeners } = asked([aa], { linger: 5000 })
    subscriptions.priced(aa, quote(1), 0)
    subscriptions.leave(entries[0]!, listeners[0]!, 10)
    expect(told(subscriptions.expire(1000))).toEqual([])
    const entry = subscriptions.join(aa, listenerOf('svc-0xaa'))
    expect(brief(initialEvent(entry, patience, 1500)?.('svc-0xAA'))).toBe('Stale')
    expect(initialEvent(entry, patience, 1500)?.('svc-0xAA')).toMatchObject({
      left: { topic: 'svc-0xAA', silentForMs: 1500, last: { topic: 'svc-0xAA', price: 1 } },
    })
  })

  it('gives who joins its latest price, and nothing where it has none', () => {
    const { subscriptions, entries } = asked([aa])
    expect(initialEvent(entries[0]!, patience, 1)).toBeUndefined()
    subscriptions.confirmed(aa, 2)
    expect(initialEvent(entries[0]!, patience, 3)).toBeUndefined()
    subscriptions.priced(aa, quote(7), 4)
    expect(brief(initialEvent(entries[0]!, patience, 5)?.('svc-0xaa'))).toBe('7')
    subscriptions.disconnected()
    expect(initialEvent(entries[0]!, patience, 6)).toBeUndefined()
  })

  it('is priced on its connection only once it was asked for there', () => {
    const { subscriptions } = asked([aa])
    subscriptions.disconnected()
    expect(subscriptions.priced(aa, quote(1), 1)).toBeUndefined()
    subscriptions.connected()
    expect(subscriptions.priced(aa, quote(1), 2)).toBeUndefined()
    subscriptions.takeFrames(Infinity, 3)
    expect(lastPrice(subscriptions.priced(aa, quote(1), 4)!)).toEqual(quote(1))
  })
})

describe('error texts that belong to no topic', () => {
  const timeoutOf = (subscriptions: Subscriptions, now: number) =>
    subscriptions.expire(now).map(({ eventFor }) => eventFor('svc-0xaa'))

  it('are told to each topic whose wait they came in, and to no other', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.rejected('early', 100)
    subscriptions.join(cc, listenerOf('svc-0xcc'))
    subscriptions.takeFrames(Infinity, 200)
    subscriptions.rejected('late', 250)
    expect(timeoutOf(subscriptions, 300)).toMatchObject([
      { left: { recent: ['early', 'late'] } },
      { left: { recent: ['early', 'late'] } },
    ])
    expect(timeoutOf(subscriptions, 500)).toMatchObject([{ left: { recent: ['late'] } }])
  })

  it('are kept up to 2 kB each, and no more than the latest 16', () => {
    const { subscriptions } = asked([aa, bb])
    for (let number = 1; number <= 20; number++)
      subscriptions.rejected(`${number} ${'x'.repeat(5000)}`, number)
    const [first] = timeoutOf(subscriptions, 300)
    const { recent } = (first as { readonly left: { readonly recent: readonly string[] } }).left
    expect(recent.map((text) => parseInt(text))).toEqual(Array.from({ length: 16 }, (_, index) => index + 5))
    expect(recent.every((text) => text.length === 2048)).toBe(true)
  })

  it('are forgotten with the connection', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.rejected('of the last connection', 10)
    subscriptions.disconnected()
    subscriptions.connected()
    subscriptions.takeFrames(Infinity, 10)
    expect(timeoutOf(subscriptions, 310)).toMatchObject([{ left: { recent: [] } }, { left: { recent: [] } }])
    expect(subscriptions.takeFrames(Infinity, 310)).toHaveLength(2)
  })

  it('make what is asked again go one by one, each when the one before was answered or is out of time', () => {
    const { subscriptions } = asked([aa, bb, cc])
    subscriptions.rejected('Error', 1)
    subscriptions.expire(300)
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([subscribes('svc-0xaa')])
    expect(subscriptions.hasPendingFrames).toBe(false)
    subscriptions.confirmed(aa, 310)
    expect(subscriptions.hasPendingFrames).toBe(true)
    expect(subscriptions.takeFrames(Infinity, 320)).toEqual([subscribes('svc-0xbb')])
    expect(told(subscriptions.expire(620))).toEqual(['svc-0xbb SubscriptionTimeout'])
    expect(subscriptions.takeFrames(Infinity, 620)).toEqual([subscribes('svc-0xcc')])
    expect(told([subscriptions.rejected('Error', 630)!])).toEqual(['svc-0xcc SubscriptionRejected'])
    expect(subscriptions.takeFrames(Infinity, 640)).toEqual([subscribes('svc-0xbb')])
  })

  it('are what holds back: without any, what is asked again goes at once', () => {
    const { subscriptions } = asked([aa])
    subscriptions.join(bb, listenerOf('svc-0xbb'))
    subscriptions.takeFrames(Infinity, 100)
    subscriptions.expire(300)
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([subscribes('svc-0xaa')])
    subscriptions.expire(400)
    expect(subscriptions.takeFrames(Infinity, 400)).toEqual([subscribes('svc-0xbb')])
  })

  it('do not hold back what is asked for the first time', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.rejected('Error', 1)
    subscriptions.expire(300)
    subscriptions.takeFrames(Infinity, 300)
    subscriptions.join(cc, listenerOf('svc-0xcc'))
    expect(subscriptions.takeFrames(Infinity, 301)).toEqual([subscribes('svc-0xcc')])
  })

  it('do not keep a topic that was left meanwhile from being unsubscribed', () => {
    const { subscriptions, entries, listeners } = asked([aa, bb])
    subscriptions.rejected('Error', 1)
    subscriptions.expire(300)
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([subscribes('svc-0xaa')])
    subscriptions.leave(entries[1]!, listeners[1]!, 310)
    subscriptions.expire(600)
    expect(subscriptions.takeFrames(Infinity, 600)).toEqual([
      unsubscribes('svc-0xbb'),
      subscribes('svc-0xaa'),
    ])
  })

  it('cost one look at the topics for each frame, however many are held back', () => {
    const bases = Array.from({ length: 50 }, (_, index): Address => `0x${index.toString(16)}`)
    const { subscriptions } = asked(bases)
    subscriptions.rejected('Error', 1)
    subscriptions.expire(300)
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
    subscriptions.join(aa, listenerOf('svc-0xAA'))
    const delivery = subscriptions.rejected('Invalid token 0xaa', 1)
    expect(delivery?.completes).toBe(true)
    expect(told([delivery!])).toEqual(['svc-0xaa SubscriptionRejected', 'svc-0xAA SubscriptionRejected'])
    expect(delivery?.eventFor('svc-0xAA')).toMatchObject({
      left: { topic: 'svc-0xAA', reason: 'Invalid token 0xaa' },
    })
    expect(subscriptions.has(aa)).toBe(false)
  })

  it('is kept up to 2 kB', () => {
    const { subscriptions } = asked([aa])
    expect(subscriptions.rejected('x'.repeat(5000), 1)?.eventFor('svc-0xaa')).toMatchObject({
      left: { reason: 'x'.repeat(2048) },
    })
  })

  it('is nobody\'s business where the topic was left, and is not "uncorrelated"', () => {
    const { subscriptions, entries, listeners } = asked([aa], { linger: 0 })
    subscriptions.leave(entries[0]!, listeners[0]!, 1)
    subscriptions.takeFrames(Infinity, 1)
    expect(subscriptions.rejected('Error', 2)).toMatchObject({ audience: [] })
    // That was the answer: the next text is not for it.
    expect(subscriptions.rejected('Error', 3)).toBeUndefined()
  })

  it('is not that of a topic that is live again, though an earlier subscribe of it was never answered', () => {
    const { subscriptions, entries, listeners } = asked([aa], { linger: 0 })
    subscriptions.leave(entries[0]!, listeners[0]!, 1)
    subscriptions.takeFrames(Infinity, 1)
    subscriptions.join(aa, listenerOf('svc-0xaa'))
    subscriptions.takeFrames(Infinity, 2)
    subscriptions.priced(aa, quote(1), 3)
    expect(subscriptions.rejected('Error', 4)).toMatchObject({ audience: [] })
    expect(subscriptions.has(aa)).toBe(true)
    expect(subscriptions.priced(aa, quote(2), 5)).toBeDefined()
  })

  it('counts the subscribe of a topic since left for as long as it may be answered', () => {
    const { subscriptions, entries, listeners } = asked([aa, bb], { linger: 0 })
    subscriptions.leave(entries[0]!, listeners[0]!, 200)
    subscriptions.takeFrames(Infinity, 200)
    expect(subscriptions.rejected('Error', 299)).toBeUndefined()
    subscriptions.expire(300)
    subscriptions.takeFrames(Infinity, 300)
    expect(told([subscriptions.rejected('Error', 301)!])).toEqual(['svc-0xbb SubscriptionRejected'])
  })

  it('does not count the subscribe of a topic since left that was confirmed, before or after', () => {
    for (const confirmedAt of [100, 250]) {
      const { subscriptions, entries, listeners } = asked([aa, bb], { linger: 0 })
      if (confirmedAt < 200) subscriptions.confirmed(aa, confirmedAt)
      subscriptions.leave(entries[0]!, listeners[0]!, 200)
      subscriptions.takeFrames(Infinity, 200)
      if (confirmedAt > 200) subscriptions.confirmed(aa, confirmedAt)
      expect(told([subscriptions.rejected('Error', 260)!])).toEqual(['svc-0xbb SubscriptionRejected'])
    }
  })

  it('may still reject a topic whose wait has ended, by its address', () => {
    const { subscriptions } = asked([aa])
    subscriptions.expire(300)
    expect(told([subscriptions.rejected('no such token: 0xAA', 301)!])).toEqual([
      'svc-0xaa SubscriptionRejected',
    ])
    expect(subscriptions.takeFrames(Infinity, 302)).toEqual([])
  })

  it('does not reject a topic that is confirmed, nor one that was priced', () => {
    const { subscriptions } = asked([aa, bb])
    subscriptions.confirmed(aa, 1)
    subscriptions.priced(bb, quote(1), 1)
    expect(subscriptions.rejected('trouble with 0xaa', 2)).toBeUndefined()
    expect(subscriptions.rejected('trouble with 0xbb', 2)).toBeUndefined()
    expect(subscriptions.rejected('trouble', 2)).toBeUndefined()
    expect(subscriptions.size).toBe(2)
  })
})

describe('frames that come late', () => {
  it('are expected for a while after the topic was unsubscribed, and are not for others', () => {
    const { subscriptions, entries, listeners } = asked([aa], { linger: 0 })
    subscriptions.leave(entries[0]!, listeners[0]!, 10)
    subscriptions.takeFrames(Infinity, 10)
    expect(subscriptions.isRecentlyUnsubscribed(aa, 309)).toBe(true)
    expect(subscriptions.isRecentlyUnsubscribed(aa, 310)).toBe(false)
    expect(subscriptions.isRecentlyUnsubscribed(bb, 20)).toBe(false)
    subscriptions.disconnected()
    expect(subscriptions.isRecentlyUnsubscribed(aa, 20)).toBe(false)
  })
})
