import { left, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  createTopic,
  firstEvent,
  priceEvent,
  rejectedEvent,
  staleEvent,
  type SubscribedTopic,
} from '../../../src/client/prices/topics.js'

const timeouts = { linger: 0, staleAfter: 100, confirmTimeout: 50 }

const receivedPrice = { price: 12.5, receivedAt: 7, epoch: 2 }

const stateOf = (fields: Partial<SubscribedTopic> = {}): SubscribedTopic => ({
  ...createTopic('0xaa', 'svc-0xaa'),
  ...fields,
})

describe('a price event', () => {
  it('contains the topic as its subscriber wrote it', () => {
    expect(priceEvent(receivedPrice)('svc-0xAA')).toEqual(right({ topic: 'svc-0xAA', ...receivedPrice }))
    expect(staleEvent(stateOf({ lastActivityAt: 10, ...receivedPrice }), 40)('svc-0xAA')).toEqual(
      left({
        _tag: 'Stale',
        message: 'svc-0xAA: no price for 30 ms; the last price was 12.5',
        topic: 'svc-0xAA',
        silentForMs: 30,
        last: { topic: 'svc-0xAA', ...receivedPrice },
      }),
    )
  })

  it('truncates the reason of a rejection to 2 kB', () => {
    const event = rejectedEvent('x'.repeat(5000))('svc-0xaa')
    expect(event).toMatchObject({ left: { _tag: 'SubscriptionRejected', topic: 'svc-0xaa' } })
    expect(event).toHaveProperty('left.reason.length', 2048)
  })
})

describe('firstEvent', () => {
  it('is undefined before the first price', () => {
    expect(firstEvent(stateOf(), timeouts, 0)).toBeUndefined()
    expect(
      firstEvent(stateOf({ live: true, subscribeSentAt: 0, lastActivityAt: 5 }), timeouts, 10),
    ).toBeUndefined()
  })

  it('is the last price while the topic is live', () => {
    expect(
      firstEvent(stateOf({ live: true, lastActivityAt: 5, ...receivedPrice }), timeouts, 10)?.('svc-0xaa'),
    ).toEqual(right({ topic: 'svc-0xaa', ...receivedPrice }))
  })

  it('is undefined when the stale deadline has passed but is not handled yet', () => {
    const live = stateOf({ live: true, subscribeSentAt: 0, lastActivityAt: 5, ...receivedPrice })
    expect(firstEvent(live, timeouts, 104)).toBeDefined()
    expect(firstEvent(live, timeouts, 105)).toBeUndefined()
  })

  it('is `Stale` with the current silence, not the last price, when the topic is stale', () => {
    const event = firstEvent(
      stateOf({ live: false, lastActivityAt: 5, ...receivedPrice }),
      timeouts,
      105,
    )?.('svc-0xaa')
    expect(event).toMatchObject({ left: { _tag: 'Stale', silentForMs: 100 } })
  })
})
