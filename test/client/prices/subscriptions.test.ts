import { describe, expect, it } from 'vitest'
import type { Address, Topic } from '../../../src/base/domain/topic.js'
import { decodeError } from '../../../src/base/errors/constructors.js'
import { Subscriptions } from '../../../src/client/prices/subscriptions.js'
import {
  type Delivery,
  type PriceSubscription,
  type ReceivedPrice,
} from '../../../src/client/prices/subscribers.js'
import { firstEvent, lastPrice, type SubscribedTopic } from '../../../src/client/prices/topics.js'
import { subscribeFrame, unsubscribeFrame } from '../../support/time/marbles.js'
import { createPriceSubscriber } from './support/price-subscriber.js'
import { summarize } from '../../support/time/timed-log.js'

const timeouts = { linger: 100, staleAfter: 1000, confirmTimeout: 300 }
const aa: Address = '0xaa'
const bb: Address = '0xbb'
const cc: Address = '0xcc'

const topicOf = (base: Address): Topic => `svc-${base}`
const receivedPrice = (price: number): ReceivedPrice => ({ price, receivedAt: 0, epoch: 1 })

interface RequestedTopics {
  readonly subscriptions: Subscriptions
  /** One for each topic, in the same order. */
  readonly subscribers: readonly PriceSubscription[]
  /** One for each topic, in the same order. */
  readonly states: readonly SubscribedTopic[]
  /** Removes the subscriber of one topic, by its index. */
  readonly unsubscribe: (index: number, now: number) => void
}

/** Topics with one subscriber each, requested at 0 on an open connection. */
const requestTopics = (
  bases: readonly Address[],
  options: Partial<typeof timeouts> = {},
): RequestedTopics => {
  const subscriptions = new Subscriptions({ ...timeouts, ...options })
  const subscribers = bases.map((base) => createPriceSubscriber(topicOf(base)))
  const states = subscribers.map((subscriber, index) =>
    subscriptions.addSubscriber(bases[index]!, subscriber),
  )
  subscriptions.onOpen()
  subscriptions.takeFrames(Infinity, 0)
  const unsubscribe = (index: number, now: number): void =>
    subscriptions.leave(states[index]!, now, subscribers[index])
  return { subscriptions, subscribers, states, unsubscribe }
}

/** A price arrives. Returns the state of its topic, if that is requested. */
const receive = (
  subscriptions: Subscriptions,
  base: Address,
  price: ReceivedPrice,
  now: number,
): SubscribedTopic | undefined => {
  const state = subscriptions.topics.requested(base)
  if (state !== undefined) subscriptions.onPrice(state, price, now)
  return state
}

/** The events of each delivery, one for each subscriber, in a short form. */
const eventsOf = (deliveries: readonly Delivery[]): readonly string[] =>
  deliveries.flatMap(({ subscribers, eventFor }) =>
    subscribers.map(({ topic }) => `${topic} ${summarize(eventFor(topic))}`),
  )

/** The deliveries that the deadlines passed at a time cause. */
const deliveriesAt = (subscriptions: Subscriptions, now: number): readonly Delivery[] =>
  subscriptions.onDeadline(now).flatMap((effect) => (effect._tag === 'Deliver' ? [effect] : []))

it('Subscriptions.onErrorText rejects no topic by the answer to an earlier request of the same topic', () => {
  const subscriptions = new Subscriptions({ ...timeouts, linger: 0 })
  subscriptions.onOpen()
  const request = (now: number) => {
    const subscriber = createPriceSubscriber(topicOf(aa))
    const state = subscriptions.addSubscriber(aa, subscriber)
    expect(subscriptions.takeFrames(Infinity, now)).toEqual([subscribeFrame('svc-0xaa')])
    return () => {
      subscriptions.leave(state, now, subscriber)
      subscriptions.takeFrames(Infinity, now)
    }
  }
  for (const now of [1, 2, 3]) request(now)()
  expect(subscriptions.onErrorText('Error: internal', 4)).toBeUndefined()
  request(5)
  expect(subscriptions.onErrorText('Error: internal', 6)).toBeUndefined()
})

describe('Subscriptions.takeFrames', () => {
  it('takes frames of wanted topics and of unrequested ones in turns when the limit is one', () => {
    const { subscriptions } = requestTopics([aa])
    const listUnrequested = (now: number): void => {
      for (const base of ['0xd1', '0xd2'] as const)
        subscriptions.sentFrames.onListed({ base, topic: topicOf(base) }, now)
    }
    listUnrequested(1)
    subscriptions.addSubscriber(bb, createPriceSubscriber('svc-0xbb'))
    subscriptions.addSubscriber(cc, createPriceSubscriber('svc-0xcc'))
    const frames = [1, 2, 3, 4].flatMap((now) => subscriptions.takeFrames(1, now))
    expect(frames.slice(0, 2).sort()).toEqual([subscribeFrame('svc-0xbb'), unsubscribeFrame('svc-0xd1')])
    expect(frames.slice(2).sort()).toEqual([subscribeFrame('svc-0xcc'), unsubscribeFrame('svc-0xd2')])
  })

  it('returns one frame for each topic, in order, and at most `limit` frames per call', () => {
    const subscriptions = new Subscriptions(timeouts)
    for (const base of [aa, bb, cc]) subscriptions.addSubscriber(base, createPriceSubscriber(topicOf(base)))
    subscriptions.onOpen()
    expect(subscriptions.hasPendingFrames).toBe(true)
    expect(subscriptions.takeFrames(2, 0)).toEqual([subscribeFrame('svc-0xaa'), subscribeFrame('svc-0xbb')])
    expect(subscriptions.hasPendingFrames).toBe(true)
    expect(subscriptions.takeFrames(2, 0)).toEqual([subscribeFrame('svc-0xcc')])
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.takeFrames(2, 0)).toEqual([])
  })

  it('returns no frame for another subscriber of a requested topic', () => {
    const { subscriptions } = requestTopics([aa])
    subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xAA'))
    expect(subscriptions.takeFrames(Infinity, 1)).toEqual([])
  })

  it('requests a topic as its first subscriber wrote it, even if that one has unsubscribed since', () => {
    const subscriptions = new Subscriptions(timeouts)
    const first = createPriceSubscriber('svc-0xAA')
    const state = subscriptions.addSubscriber(aa, first)
    subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))
    subscriptions.leave(state, 0, first)
    subscriptions.onOpen()
    expect(subscriptions.takeFrames(Infinity, 0)).toEqual([subscribeFrame('svc-0xAA')])
  })

  it('unsubscribes a topic once when its linger ends, and removes it', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa, bb])
    unsubscribe(0, 10)
    expect(subscriptions.nextDeadline).toBe(110)
    expect(subscriptions.onDeadline(109)).toEqual([])
    expect(subscriptions.hasPendingFrames).toBe(false)
    subscriptions.onDeadline(110)
    expect(subscriptions.takeFrames(Infinity, 110)).toEqual([unsubscribeFrame('svc-0xaa')])
    expect(subscriptions.topics.has(aa)).toBe(false)
    expect(subscriptions.topics.size).toBe(1)
    subscriptions.onDeadline(500)
    expect(subscriptions.takeFrames(Infinity, 500)).not.toContain(unsubscribeFrame('svc-0xaa'))
  })

  it('returns no frame for a topic that gets a subscriber between the end of its linger and the frame', () => {
    const { subscriptions, states, unsubscribe } = requestTopics([aa])
    unsubscribe(0, 10)
    subscriptions.onDeadline(110)
    expect(subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))).toBe(states[0])
    expect(subscriptions.takeFrames(Infinity, 110)).toEqual([])
    expect(subscriptions.onDeadline(250)).toEqual([])
    expect(subscriptions.topics.has(aa)).toBe(true)
  })

  it('unsubscribes a topic immediately when `linger` is 0, and requests it again for a later subscriber', () => {
    const { subscriptions, states, unsubscribe } = requestTopics([aa], { linger: 0 })
    unsubscribe(0, 10)
    expect(subscriptions.takeFrames(Infinity, 10)).toEqual([unsubscribeFrame('svc-0xaa')])
    expect(subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))).not.toBe(states[0])
    expect(subscriptions.takeFrames(Infinity, 11)).toEqual([subscribeFrame('svc-0xaa')])
  })

  /** Both topics are requested, and the confirmed one is unsubscribed and requested again before the other is confirmed. */
  const requestAgain = (): Subscriptions => {
    const { subscriptions, unsubscribe } = requestTopics([aa, bb], { linger: 0 })
    subscriptions.onConfirmation([aa], 1)
    unsubscribe(0, 2)
    subscriptions.takeFrames(Infinity, 2)
    subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))
    expect(subscriptions.takeFrames(Infinity, 3)).toEqual([subscribeFrame('svc-0xaa')])
    subscriptions.onConfirmation([aa, bb], 4)
    return subscriptions
  }

  it('does not take a confirmation from before its unsubscribe frame for that of its next request', () => {
    const subscriptions = requestAgain()
    subscriptions.onConfirmation([bb], 5)
    expect(subscriptions.topics.get(aa)?.live).toBe(false)
    expect(subscriptions.topics.get(bb)?.live).toBe(true)
    expect(eventsOf([subscriptions.onErrorText('Error: internal', 6)!])).toEqual([
      'svc-0xaa SubscriptionRejected',
    ])
  })

  it.each(['Invalid token 0xaa', 'Error: internal'])(
    'is rejected by the answer to its next request, although a price of the one before came later: %s',
    (text) => {
      const subscriptions = requestAgain()
      receive(subscriptions, aa, receivedPrice(1), 5)
      subscriptions.onConfirmation([bb], 6)
      expect(eventsOf([subscriptions.onErrorText(text, 7)!])).toEqual(['svc-0xaa SubscriptionRejected'])
      expect(subscriptions.topics.has(aa)).toBe(false)
    },
  )

  it('confirms its next request although the service does not answer unsubscribe frames', () => {
    const subscriptions = requestAgain()
    subscriptions.onConfirmation([aa, bb], 5)
    expect(subscriptions.topics.get(aa)?.live).toBe(true)
  })

  it('stays confirmed where a service lists the new topic alone and answers no unsubscribe frames', () => {
    const { subscriptions } = requestTopics([], { linger: 0 })
    for (const now of [1, 2, 3]) {
      const subscriber = createPriceSubscriber('svc-0xaa')
      const state = subscriptions.addSubscriber(aa, subscriber)
      subscriptions.takeFrames(Infinity, now)
      subscriptions.onConfirmation([aa], now)
      if (now === 3) break
      subscriptions.leave(state, now, subscriber)
      subscriptions.takeFrames(Infinity, now)
    }
    subscriptions.addSubscriber(bb, createPriceSubscriber('svc-0xbb'))
    subscriptions.takeFrames(Infinity, 4)
    subscriptions.onConfirmation([bb], 5)
    expect(subscriptions.topics.get(aa)?.live).toBe(true)
    expect(subscriptions.topics.get(bb)?.live).toBe(true)
  })

  it('returns no frame for a topic that is removed before it is requested', () => {
    const { subscriptions } = requestTopics([])
    const subscriber = createPriceSubscriber('svc-0xaa')
    subscriptions.leave(subscriptions.addSubscriber(aa, subscriber), 1, subscriber)
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.topics.size).toBe(0)
  })

  it('unsubscribes an orphan that loses its new subscriber before it is requested', () => {
    const { subscriptions } = requestTopics([aa])
    const price = { base: aa, topic: topicOf(aa) }
    subscriptions.onErrorText('Invalid token 0xaa', 1)
    const wantShortly = (now: number): void => {
      const subscriber = createPriceSubscriber('svc-0xaa')
      const state = subscriptions.addSubscriber(aa, subscriber)
      subscriptions.leave(state, now, subscriber)
    }
    wantShortly(2)
    subscriptions.sentFrames.onUnrequestedPrice(price, 3)
    wantShortly(3)
    expect(subscriptions.takeFrames(Infinity, 3)).toEqual([unsubscribeFrame('svc-0xaa')])
    // The price is not late any more, and the rejected topic is still known.
    wantShortly(400)
    subscriptions.sentFrames.onUnrequestedPrice(price, 400)
    expect(subscriptions.takeFrames(Infinity, 400)).toEqual([unsubscribeFrame('svc-0xaa')])
  })

  it('requests an orphan that is wanted again, and does not unsubscribe it', () => {
    const { subscriptions } = requestTopics([aa])
    subscriptions.onErrorText('Invalid token 0xaa', 1)
    subscriptions.sentFrames.onUnrequestedPrice({ base: aa, topic: topicOf(aa) }, 2)
    subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))
    expect(subscriptions.takeFrames(Infinity, 2)).toEqual([subscribeFrame('svc-0xaa')])
    expect(subscriptions.hasPendingFrames).toBe(false)
  })

  it('unsubscribes a topic that the service lists before its request, if it is then not requested', () => {
    const { subscriptions } = requestTopics([bb])
    const subscriber = createPriceSubscriber('svc-0xaa')
    const state = subscriptions.addSubscriber(aa, subscriber)
    expect(subscriptions.onConfirmation([aa], 1)).toEqual([])
    subscriptions.sentFrames.onListed({ base: aa, topic: topicOf(aa) }, 1)
    subscriptions.leave(state, 1, subscriber)
    expect(subscriptions.takeFrames(Infinity, 1)).toEqual([unsubscribeFrame('svc-0xaa')])
  })

  it('returns no frame for a topic that loses one of two subscribers', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa])
    subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))
    unsubscribe(0, 10)
    expect(subscriptions.nextDeadline).toBe(300)
    subscriptions.onConfirmation([aa], 20)
    expect(subscriptions.onDeadline(900)).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 900)).toEqual([])
  })

  it('requests every topic that has subscribers on a new connection, and no lingering topic', () => {
    const { subscriptions, subscribers, unsubscribe } = requestTopics([aa, bb, cc])
    unsubscribe(1, 10)
    expect(subscriptions.onDown()).toEqual([subscribers[0], subscribers[2]])
    expect(subscriptions.hasPendingFrames).toBe(false)
    expect(subscriptions.nextDeadline).toBe(Infinity)
    subscriptions.onOpen()
    expect(subscriptions.takeFrames(Infinity, 50)).toEqual([
      subscribeFrame('svc-0xaa'),
      subscribeFrame('svc-0xcc'),
    ])
  })

  it('returns all repeated subscribe frames at once if there is no uncorrelated error text', () => {
    const { subscriptions } = requestTopics([aa])
    subscriptions.addSubscriber(bb, createPriceSubscriber('svc-0xbb'))
    subscriptions.takeFrames(Infinity, 100)
    subscriptions.onDeadline(300)
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([subscribeFrame('svc-0xaa')])
    subscriptions.onDeadline(400)
    expect(subscriptions.takeFrames(Infinity, 400)).toEqual([subscribeFrame('svc-0xbb')])
  })

  it('is not affected by a former subscriber of a rejected topic that unsubscribes late', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa])
    subscriptions.onErrorText('Invalid token 0xaa', 1)
    subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))
    unsubscribe(0, 2)
    expect(subscriptions.takeFrames(Infinity, 500)).toEqual([subscribeFrame('svc-0xaa')])
  })
})

describe('a requested topic', () => {
  it('emits `SubscriptionTimeout` after `confirmTimeout` and is requested again', () => {
    const { subscriptions } = requestTopics([aa])
    expect(subscriptions.nextDeadline).toBe(300)
    expect(subscriptions.onDeadline(299)).toEqual([])
    expect(eventsOf(deliveriesAt(subscriptions, 300))).toEqual(['svc-0xaa SubscriptionTimeout'])
    expect(eventsOf(deliveriesAt(subscriptions, 300))).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 310)).toEqual([subscribeFrame('svc-0xaa')])
    expect(eventsOf(deliveriesAt(subscriptions, 609))).toEqual([])
    expect(eventsOf(deliveriesAt(subscriptions, 610))).toEqual(['svc-0xaa SubscriptionTimeout'])
  })

  it('is unsubscribed instead of requested again when it has no subscribers after `confirmTimeout`', () => {
    for (const unsubscribedAt of [290, 310]) {
      const { subscriptions, unsubscribe } = requestTopics([aa])
      if (unsubscribedAt < 300) unsubscribe(0, unsubscribedAt)
      subscriptions.onDeadline(300)
      if (unsubscribedAt > 300) unsubscribe(0, unsubscribedAt)
      expect(subscriptions.takeFrames(Infinity, 310)).toEqual([unsubscribeFrame('svc-0xaa')])
      expect(subscriptions.topics.size).toBe(0)
    }
  })

  it('that is confirmed after its timeout, but before its unsubscribe frame, lingers', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa])
    subscriptions.onDeadline(300)
    unsubscribe(0, 310)
    subscriptions.onConfirmation([aa], 320)
    expect(subscriptions.takeFrames(Infinity, 320)).toEqual([])
    expect(subscriptions.nextDeadline).toBe(410)
    subscriptions.onDeadline(410)
    expect(subscriptions.takeFrames(Infinity, 410)).toEqual([unsubscribeFrame('svc-0xaa')])
  })

  it('is confirmed by a confirmation or by a price', () => {
    const { subscriptions } = requestTopics([aa, bb])
    subscriptions.onConfirmation([aa], 100)
    receive(subscriptions, bb, receivedPrice(2), 200)
    expect(eventsOf(deliveriesAt(subscriptions, 300))).toEqual([])
    expect(subscriptions.takeFrames(Infinity, 300)).toEqual([])
    expect(eventsOf(deliveriesAt(subscriptions, 1100))).toEqual(['svc-0xaa Stale'])
    expect(eventsOf(deliveriesAt(subscriptions, 1199))).toEqual([])
    expect(eventsOf(deliveriesAt(subscriptions, 1200))).toEqual(['svc-0xbb Stale'])
  })

  it('is not requested again when a late answer arrives before the subscribe frame is sent', () => {
    for (const answer of ['confirmation', 'price'] as const) {
      const { subscriptions } = requestTopics([aa])
      subscriptions.onDeadline(300)
      if (answer === 'confirmation') subscriptions.onConfirmation([aa], 301)
      else receive(subscriptions, aa, receivedPrice(1), 301)
      expect(subscriptions.takeFrames(Infinity, 302)).toEqual([])
      expect(eventsOf(deliveriesAt(subscriptions, 1300))).toEqual([])
      expect(eventsOf(deliveriesAt(subscriptions, 1301))).toEqual(['svc-0xaa Stale'])
    }
  })

  it('does not extend its stale deadline for a repeated confirmation', () => {
    const { subscriptions } = requestTopics([aa])
    subscriptions.onConfirmation([aa], 100)
    subscriptions.onConfirmation([aa], 900)
    expect(eventsOf(deliveriesAt(subscriptions, 1100))).toEqual(['svc-0xaa Stale'])
  })

  it('emits no second `Stale` after unreadable messages', () => {
    const { subscriptions, states } = requestTopics([aa])
    const error = decodeError('frame', '{}', [])
    receive(subscriptions, aa, receivedPrice(1), 0)
    subscriptions.onUnreadable(states[0]!, error)
    expect(eventsOf(deliveriesAt(subscriptions, 1000))).toEqual(['svc-0xaa Stale'])
    for (const now of [2000, 3000]) {
      subscriptions.onUnreadable(states[0]!, error)
      expect(eventsOf(deliveriesAt(subscriptions, now))).toEqual([])
    }
    receive(subscriptions, aa, receivedPrice(2), 4000)
    subscriptions.onUnreadable(states[0]!, error)
    expect(eventsOf(deliveriesAt(subscriptions, 5000))).toEqual(['svc-0xaa Stale'])
  })

  it('emits `Stale` once until the next price', () => {
    const { subscriptions } = requestTopics([aa])
    receive(subscriptions, aa, receivedPrice(1), 0)
    expect(eventsOf(deliveriesAt(subscriptions, 1000))).toHaveLength(1)
    expect(eventsOf(deliveriesAt(subscriptions, 5000))).toEqual([])
    expect(subscriptions.nextDeadline).toBe(Infinity)
    receive(subscriptions, aa, receivedPrice(2), 6000)
    expect(subscriptions.nextDeadline).toBe(7000)
    expect(eventsOf(deliveriesAt(subscriptions, 7000))).toHaveLength(1)
  })

  it('becomes stale while it lingers', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa], { linger: 5000 })
    receive(subscriptions, aa, receivedPrice(1), 0)
    unsubscribe(0, 10)
    expect(eventsOf(deliveriesAt(subscriptions, 1000))).toEqual([])
    const state = subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))
    expect(summarize(firstEvent(state, timeouts, 1500)?.('svc-0xAA'))).toBe('Stale')
    expect(firstEvent(state, timeouts, 1500)?.('svc-0xAA')).toMatchObject({
      left: { topic: 'svc-0xAA', silentForMs: 1500, last: { topic: 'svc-0xAA', price: 1 } },
    })
  })

  it('has its latest price as initial event, and none before its first price or after a disconnect', () => {
    const { subscriptions, states } = requestTopics([aa])
    expect(firstEvent(states[0]!, timeouts, 1)).toBeUndefined()
    subscriptions.onConfirmation([aa], 2)
    expect(firstEvent(states[0]!, timeouts, 3)).toBeUndefined()
    receive(subscriptions, aa, receivedPrice(7), 4)
    expect(summarize(firstEvent(states[0]!, timeouts, 5)?.('svc-0xaa'))).toBe('7')
    subscriptions.onDown()
    expect(firstEvent(states[0]!, timeouts, 6)).toBeUndefined()
  })

  it('accepts prices only after it is requested on the current connection', () => {
    const { subscriptions } = requestTopics([aa])
    subscriptions.onDown()
    expect(receive(subscriptions, aa, receivedPrice(1), 1)).toBeUndefined()
    subscriptions.onOpen()
    expect(receive(subscriptions, aa, receivedPrice(1), 2)).toBeUndefined()
    subscriptions.takeFrames(Infinity, 3)
    expect(lastPrice(receive(subscriptions, aa, receivedPrice(1), 4)!)).toEqual(receivedPrice(1))
  })
})

describe('an uncorrelated error text', () => {
  const timeoutOf = (subscriptions: Subscriptions, now: number) =>
    deliveriesAt(subscriptions, now).map(({ eventFor }) => eventFor('svc-0xaa'))

  it('is part of the `SubscriptionTimeout` of each topic that was pending when it arrived', () => {
    const { subscriptions } = requestTopics([aa, bb])
    subscriptions.onErrorText('early', 100)
    subscriptions.addSubscriber(cc, createPriceSubscriber('svc-0xcc'))
    subscriptions.takeFrames(Infinity, 200)
    subscriptions.onErrorText('late', 250)
    expect(timeoutOf(subscriptions, 300)).toMatchObject([
      { left: { recent: ['early', 'late'] } },
      { left: { recent: ['early', 'late'] } },
    ])
    expect(timeoutOf(subscriptions, 500)).toMatchObject([{ left: { recent: ['late'] } }])
  })

  it('is truncated to 2 kB, and only the latest 16 are stored', () => {
    const { subscriptions } = requestTopics([aa, bb])
    for (let number = 1; number <= 20; number++)
      subscriptions.onErrorText(`${number} ${'x'.repeat(5000)}`, number)
    const [first] = timeoutOf(subscriptions, 300)
    const { recent } = (first as { readonly left: { readonly recent: readonly string[] } }).left
    expect(recent.map((text) => parseInt(text))).toEqual(Array.from({ length: 16 }, (_, index) => index + 5))
    expect(recent.every((text) => text.length === 2048)).toBe(true)
  })

  it('is discarded when the connection closes', () => {
    const { subscriptions } = requestTopics([aa, bb])
    subscriptions.onErrorText('of the last connection', 10)
    subscriptions.onDown()
    subscriptions.onOpen()
    subscriptions.takeFrames(Infinity, 10)
    expect(timeoutOf(subscriptions, 310)).toMatchObject([{ left: { recent: [] } }, { left: { recent: [] } }])
    expect(subscriptions.takeFrames(Infinity, 310)).toHaveLength(2)
  })
})

describe('an error text', () => {
  it('rejects and completes all subscribers of its topic, each with the topic as it wrote it', () => {
    const { subscriptions } = requestTopics([aa, bb])
    subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xAA'))
    const delivery = subscriptions.onErrorText('Invalid token 0xaa', 1)
    expect(delivery?.completes).toBe(true)
    expect(eventsOf([delivery!])).toEqual(['svc-0xaa SubscriptionRejected', 'svc-0xAA SubscriptionRejected'])
    expect(delivery?.eventFor('svc-0xAA')).toMatchObject({
      left: { topic: 'svc-0xAA', reason: 'Invalid token 0xaa' },
    })
    expect(subscriptions.topics.has(aa)).toBe(false)
  })

  it('is truncated to 2 kB', () => {
    const { subscriptions } = requestTopics([aa])
    expect(subscriptions.onErrorText('x'.repeat(5000), 1)?.eventFor('svc-0xaa')).toMatchObject({
      left: { reason: 'x'.repeat(2048) },
    })
  })

  it('is dropped, and is not uncorrelated, if it answers the subscribe frame of an unsubscribed topic', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa], { linger: 0 })
    unsubscribe(0, 1)
    subscriptions.takeFrames(Infinity, 1)
    expect(subscriptions.onErrorText('Error', 2)).toMatchObject({ subscribers: [] })
    // The first text answered the subscribe frame, so the second one matches no topic.
    expect(subscriptions.onErrorText('Error', 3)).toBeUndefined()
  })

  it('does not reject a topic that is live again after an unanswered subscribe frame', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa], { linger: 0 })
    unsubscribe(0, 1)
    subscriptions.takeFrames(Infinity, 1)
    subscriptions.addSubscriber(aa, createPriceSubscriber('svc-0xaa'))
    subscriptions.takeFrames(Infinity, 2)
    receive(subscriptions, aa, receivedPrice(1), 3)
    expect(subscriptions.onErrorText('Error', 4)).toBeUndefined()
    expect(subscriptions.topics.has(aa)).toBe(true)
    expect(receive(subscriptions, aa, receivedPrice(2), 5)).toBeDefined()
  })

  it('may answer the subscribe frame of an unsubscribed topic until its `confirmTimeout`', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa, bb], { linger: 0 })
    unsubscribe(0, 200)
    subscriptions.takeFrames(Infinity, 200)
    expect(subscriptions.onErrorText('Error', 299)).toBeUndefined()
    subscriptions.onDeadline(300)
    subscriptions.takeFrames(Infinity, 300)
    expect(eventsOf([subscriptions.onErrorText('Error', 301)!])).toEqual(['svc-0xbb SubscriptionRejected'])
  })

  it('may answer the probe of a topic that timed out and is unsubscribed since, until the `confirmTimeout` of the probe', () => {
    const { subscriptions, states, unsubscribe } = requestTopics([aa, bb], { linger: 0 })
    for (const now of [300, 600]) {
      subscriptions.onDeadline(now)
      subscriptions.takeFrames(Infinity, now)
    }
    subscriptions.sentFrames.onProbe(states[0]!, 850)
    subscriptions.onDeadline(900)
    unsubscribe(0, 900)
    expect(subscriptions.takeFrames(Infinity, 900)).toContainEqual(unsubscribeFrame('svc-0xaa'))
    expect(subscriptions.onErrorText('Error', 1149)).toBeUndefined()
    expect(eventsOf([subscriptions.onErrorText('Error', 1151)!])).toEqual(['svc-0xbb SubscriptionRejected'])
  })

  it('may answer the second request of a topic whose first request was answered by a rejection', () => {
    const { subscriptions, states } = requestTopics([aa])
    subscriptions.sentFrames.onProbe(states[0]!, 10)
    subscriptions.addSubscriber(bb, createPriceSubscriber('svc-0xbb'))
    subscriptions.takeFrames(Infinity, 20)
    expect(eventsOf([subscriptions.onErrorText('Invalid token 0xaa', 30)!])).toEqual([
      'svc-0xaa SubscriptionRejected',
    ])
    expect(subscriptions.onErrorText('Error', 40)).toBeUndefined()
    expect(eventsOf([subscriptions.onErrorText('Error', 311)!])).toEqual(['svc-0xbb SubscriptionRejected'])
  })

  it('cannot answer the subscribe frame of an unsubscribed topic that is confirmed, before or after', () => {
    for (const confirmedAt of [100, 250]) {
      const { subscriptions, unsubscribe } = requestTopics([aa, bb], { linger: 0 })
      if (confirmedAt < 200) subscriptions.onConfirmation([aa], confirmedAt)
      unsubscribe(0, 200)
      subscriptions.takeFrames(Infinity, 200)
      if (confirmedAt > 200) subscriptions.onConfirmation([aa], confirmedAt)
      expect(eventsOf([subscriptions.onErrorText('Error', 260)!])).toEqual(['svc-0xbb SubscriptionRejected'])
    }
  })

  it('answers the subscribe frame of the unsubscribed topic that it names', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa, bb], { linger: 0 })
    unsubscribe(0, 1)
    subscriptions.takeFrames(Infinity, 1)
    expect(subscriptions.onErrorText('Invalid token 0xAA', 2)).toBeUndefined()
    expect(eventsOf([subscriptions.onErrorText('Error', 3)!])).toEqual(['svc-0xbb SubscriptionRejected'])
  })

  it('rejects a topic by its address even after `confirmTimeout`', () => {
    const { subscriptions } = requestTopics([aa])
    subscriptions.onDeadline(300)
    expect(eventsOf([subscriptions.onErrorText('no such token: 0xAA', 301)!])).toEqual([
      'svc-0xaa SubscriptionRejected',
    ])
    expect(subscriptions.takeFrames(Infinity, 302)).toEqual([])
  })

  it('is uncorrelated if its topic is confirmed or has a price', () => {
    const { subscriptions } = requestTopics([aa, bb])
    subscriptions.onConfirmation([aa], 1)
    receive(subscriptions, bb, receivedPrice(1), 1)
    expect(subscriptions.onErrorText('trouble with 0xaa', 2)).toBeUndefined()
    expect(subscriptions.onErrorText('trouble with 0xbb', 2)).toBeUndefined()
    expect(subscriptions.onErrorText('trouble', 2)).toBeUndefined()
    expect(subscriptions.topics.size).toBe(2)
  })
})

describe('a frame for an unsubscribed topic', () => {
  it('may be late for `confirmTimeout` after the unsubscribe frame, until the connection closes', () => {
    const { subscriptions, unsubscribe } = requestTopics([aa], { linger: 0 })
    unsubscribe(0, 10)
    subscriptions.takeFrames(Infinity, 10)
    expect(subscriptions.sentFrames.mayBeLate(aa, 309)).toBe(true)
    expect(subscriptions.sentFrames.mayBeLate(aa, 310)).toBe(false)
    expect(subscriptions.sentFrames.mayBeLate(bb, 20)).toBe(false)
    subscriptions.onDown()
    expect(subscriptions.sentFrames.mayBeLate(aa, 20)).toBe(false)
  })
})
