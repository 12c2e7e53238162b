import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/base/domain/topic.js'
import { Subscriptions } from '../../../src/client/prices/subscriptions.js'
import type { SubscribedTopic } from '../../../src/client/prices/topics.js'
import { PriceFrames } from '../../../src/wire/codec/fast-path.js'
import { latin1Bytes } from '../../../src/base/domain/bytes.js'
import { summarize } from '../../support/time/timed-log.js'
import { createReceiver } from './support/frame-receiver.js'
import { createPriceSubscriber } from './support/price-subscriber.js'

// After a pause of the process, the socket holds prices that may be older than `staleAfter`.

const base: Address = '0xaa'
const topic = 'svc-0xaa' as const

/** A requested topic, with a price at 0 and one subscriber. `receive` returns the events of a price, and what else it causes. */
const startLive = (isConfirmed = true) => {
  const frames = new PriceFrames<SubscribedTopic>()
  const subscriptions = new Subscriptions({ linger: 0, staleAfter: 1000, confirmTimeout: 300 })
  subscriptions.pricePatterns = frames
  const receiver = createReceiver(subscriptions)
  subscriptions.addSubscriber(base, createPriceSubscriber(topic))
  subscriptions.onOpen()
  subscriptions.takeFrames(Infinity, 0)
  const receive = (price: number, at: number, behindMs?: number): readonly string[] => {
    Object.assign(receiver.state, { now: at, behindMs })
    return receiver
      .receive(JSON.stringify({ topic, price }))
      .map((effect) => (effect._tag === 'Deliver' ? summarize(effect.eventFor(topic)) : effect._tag))
  }
  /** True if the next price takes the fast path, which ends no failure. */
  const isFast = (): boolean => {
    const bytes = latin1Bytes(JSON.stringify({ topic, price: 9 }))
    return frames.recognise(bytes, 0, bytes.length)?.live === true
  }
  if (isConfirmed) receive(1, 0)
  return {
    subscriptions,
    receive,
    isFast,
    fail: () => receiver.receive(JSON.stringify({ topic, price: 'x' })),
  }
}

const silence = (subscriptions: Subscriptions, now: number) =>
  subscriptions.onDeadline(now).map(({ _tag }) => _tag)

describe('a held price of a topic that was left and requested again', () => {
  it('is dropped by the answer to the unsubscribe frame: the service has sent no later ones in between', () => {
    const { subscriptions, receive } = startLive()
    const other = createPriceSubscriber('svc-0xbb')
    subscriptions.addSubscriber('0xbb', other)
    subscriptions.takeFrames(Infinity, 10)
    const state = subscriptions.topics.get(base)!
    subscriptions.leave(state, 20, state.first)
    subscriptions.takeFrames(Infinity, 20)
    subscriptions.addSubscriber(base, createPriceSubscriber(topic))
    subscriptions.takeFrames(Infinity, 30)
    // The answer to the frame of the other topic, then a price that was sent before the service read the unsubscribe frame.
    subscriptions.onConfirmation([base, '0xbb'], 100)
    receive(2, 100, 500)
    subscriptions.onConfirmation(['0xbb'], 100)
    expect(subscriptions.onCaughtUp(100)).not.toContain(subscriptions.topics.get(base))
    subscriptions.onConfirmation(['0xbb', base], 110)
    expect(receive(3, 120)).toContain('DeliverPrice')
  })
})

describe('a held price that may be older than staleAfter', () => {
  it('makes a live topic stale, with one Stale, if the data that has arrived contains no newer price', () => {
    const { subscriptions, receive } = startLive()
    expect(receive(2, 0, 5000)).toEqual([])
    expect(receive(3, 0, 5000)).toEqual([])
    expect(subscriptions.nextDeadline).toBeLessThanOrEqual(0)
    expect(silence(subscriptions, 0)).toEqual(['Deliver'])
    expect(receive(4, 0, 5000)).toEqual([])
    expect(silence(subscriptions, 2000)).toEqual([])
  })

  it('makes no topic stale if a newer price follows the answer to a probe', () => {
    const { subscriptions, receive } = startLive()
    expect(receive(2, 6000, 5000)).toEqual([])
    expect(subscriptions.onCaughtUp(6000)).toEqual([])
    expect(receive(3, 6000)).toEqual(['DeliverPrice'])
    expect(silence(subscriptions, 6000)).toEqual([])
  })

  it('that is the first one of its topic gives a Stale', () => {
    const { subscriptions, receive } = startLive(false)
    expect(receive(2, 0, 5000)).toEqual(['Confirmed'])
    expect(silence(subscriptions, 0)).toEqual(['Deliver'])
  })

  it('does not keep the failure of its topic beyond the next price', () => {
    const { subscriptions, receive, isFast, fail } = startLive()
    expect(isFast()).toBe(true)
    fail()
    expect(receive(2, 6000, 5000)).toEqual([])
    expect(subscriptions.onCaughtUp(6000)).toEqual([])
    expect(isFast()).toBe(false)
    expect(receive(3, 6000)).toEqual(['DeliverPrice'])
    expect(subscriptions.topics.get(base)?.failure).toBeUndefined()
    expect(isFast()).toBe(true)
  })

  it('gives no further Stale while the connection is behind', () => {
    const { subscriptions, receive } = startLive()
    expect(subscriptions.onBehind(0, 5000)).toHaveLength(1)
    expect(receive(2, 0, 5000)).toEqual([])
    expect(silence(subscriptions, 2000)).toEqual([])
  })
})

it('a held price that is older than staleAfter when its age is known gives a Stale', () => {
  const { subscriptions, receive } = startLive()
  expect(receive(2, 0, 500)).toEqual([])
  expect(subscriptions.onCaughtUp(700)).toEqual([])
  expect(silence(subscriptions, 700)).toEqual(['Deliver'])
})
