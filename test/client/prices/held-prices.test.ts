import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/base/domain/address.js'
import { rxClock } from '../../../src/base/time/rx-clock.js'
import { onPriceUpdate, type Reception } from '../../../src/client/prices/received-frame.js'
import { Subscriptions } from '../../../src/client/prices/subscriptions.js'
import { Secrets } from '../../../src/wire/auth/secrets.js'
import { summarize } from '../../support/time/timed-log.js'
import { createPriceSubscriber } from './support/price-subscriber.js'

// After a pause of the process, the socket holds prices that may be older than `staleAfter`.

const base: Address = '0xaa'
const topic = 'svc-0xaa' as const

/** A requested topic, with a price at 0 and one subscriber. `receive` returns the events of a price, and what else it causes. */
const startLive = (isConfirmed = true) => {
  const subscriptions = new Subscriptions({ linger: 0, staleAfter: 1000, confirmTimeout: 300 })
  const reception: Reception = {
    ...{ subscriptions, clock: { ...rxClock, wallClock: () => 0 } },
    ...{ service: 'svc', secrets: new Secrets() },
  }
  subscriptions.addSubscriber(base, createPriceSubscriber(topic))
  subscriptions.onOpen()
  subscriptions.takeFrames(Infinity, 0)
  const receive = (price: number, at: number, behindMs?: number): readonly string[] =>
    onPriceUpdate(reception, { _tag: 'PriceUpdate', topic, price }, '', { at, epoch: 1, behindMs }).map(
      (effect) => (effect._tag === 'Deliver' ? summarize(effect.delivery.eventFor(topic)) : effect._tag),
    )
  if (isConfirmed) receive(1, 0)
  return { subscriptions, receive }
}

describe('a held price that may be older than staleAfter', () => {
  it('makes a live topic stale, with one Stale', () => {
    const { receive } = startLive()
    expect(receive(2, 0, 5000)).toEqual(['Held', 'Stale'])
    expect(receive(3, 0, 5000)).toEqual(['Held'])
  })

  it('that is the first one of its topic gives a Stale', () => {
    expect(startLive(false).receive(2, 0, 5000)).toEqual(['Confirmed', 'Held', 'Stale'])
  })

  it('gives no further Stale while the connection is behind', () => {
    const { subscriptions, receive } = startLive()
    expect(subscriptions.onBehind(0, 5000)).toHaveLength(1)
    expect(receive(2, 0, 5000)).toEqual(['Held'])
  })
})

it('a held price that is older than staleAfter when its age is known gives a Stale', () => {
  const { subscriptions, receive } = startLive()
  expect(receive(2, 0, 500)).toEqual(['Held'])
  const { held, effects } = subscriptions.onCaughtUp(700)
  expect(held).toEqual([])
  expect(effects.map(({ _tag }) => _tag)).toEqual(['Deliver'])
})
