import { left, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { initialEvent, priceEvent, rejectedEvent, staleEvent } from '../../src/prices/price-events.js'
import { createTopicState, type TopicState } from '../../src/prices/topic-state.js'

const patience = { linger: 0, staleAfter: 100, confirmTimeout: 50 }

const quote = { price: 12.5, receivedAt: 7, epoch: 2 }

const entry = (state: Partial<TopicState> = {}): TopicState => ({
  ...createTopicState('0xaa', 'svc-0xaa'),
  ...state,
})

describe('what a listener is told', () => {
  it('is spelled as that listener wrote the topic', () => {
    expect(priceEvent(quote)('svc-0xAA')).toEqual(right({ topic: 'svc-0xAA', ...quote }))
    expect(staleEvent(entry({ lastActivityAt: 10, ...quote }), 40)('svc-0xAA')).toEqual(
      left({
        _tag: 'Stale',
        message: 'svc-0xAA: nothing for 30 ms; the last price was 12.5',
        topic: 'svc-0xAA',
        silentForMs: 30,
        last: { topic: 'svc-0xAA', ...quote },
      }),
    )
  })

  it('carries a reason of 2 kB at most', () => {
    const told = rejectedEvent('x'.repeat(5000))('svc-0xaa')
    expect(told).toMatchObject({ left: { _tag: 'SubscriptionRejected', topic: 'svc-0xaa' } })
    expect(told).toHaveProperty('left.reason.length', 2048)
  })
})

describe('what somebody who joins is told at once', () => {
  it('is nothing where nothing holds yet', () => {
    expect(initialEvent(entry(), patience, 0)).toBeUndefined()
    expect(
      initialEvent(entry({ live: true, subscribeSentAt: 0, lastActivityAt: 5 }), patience, 10),
    ).toBeUndefined()
  })

  it('is the last price while it is current', () => {
    expect(
      initialEvent(entry({ live: true, lastActivityAt: 5, ...quote }), patience, 10)?.('svc-0xaa'),
    ).toEqual(right({ topic: 'svc-0xaa', ...quote }))
  })

  it('is nothing while its silence is too long and is not told of yet', () => {
    const live = entry({ live: true, subscribeSentAt: 0, lastActivityAt: 5, ...quote })
    expect(initialEvent(live, patience, 104)).toBeDefined()
    expect(initialEvent(live, patience, 105)).toBeUndefined()
  })

  it('is how long the topic has been silent by now, where it is stale, and not the price', () => {
    const told = initialEvent(
      entry({ live: false, lastActivityAt: 5, ...quote }),
      patience,
      105,
    )?.('svc-0xaa')
    expect(told).toMatchObject({ left: { _tag: 'Stale', silentForMs: 100 } })
  })
})
