import { left } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { stale } from '../../src/errors/constructors.js'
import { deliver } from '../../src/prices/fan-out.js'
import { failureEvent, priceEvent } from '../../src/prices/price-events.js'
import type { PriceEvent } from '../../src/prices/subscriber-list.js'
import { a } from '../support/time/marbles.js'
import { createPriceSubscriber } from './support/price-subscriber.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'
import { runInVirtualTime } from '../support/time/virtual-time.js'

const receivedPrice = { price: 7, receivedAt: 5, epoch: 3 }

describe('PriceEventFactory', () => {
  it('builds each event with the topic as its subscriber wrote it', () => {
    expect(priceEvent(receivedPrice)('svc-0xAa')).toEqual({
      _tag: 'Right',
      right: { topic: 'svc-0xAa', ...receivedPrice },
    })
    expect(failureEvent((topic) => stale(topic, 1, undefined))(a)).toEqual(left(stale(a, 1, undefined)))
  })

  it('is called once for consecutive subscribers that wrote the topic alike', () => {
    const events: PriceEvent[] = []
    const observer = { next: (event: PriceEvent) => void events.push(event) }
    const subscribers = [a, a, 'svc-0xAA', a].map((topic) =>
      createPriceSubscriber(topic as typeof a, observer),
    )
    deliver({ subscribers, eventFor: priceEvent(receivedPrice) })
    expect(events).toHaveLength(4)
    expect(events[1]).toBe(events[0])
    expect(events[2]).toEqual(priceEvent(receivedPrice)('svc-0xAA'))
    expect(events[3]).toEqual(events[0])
  })
})

describe('deliver', () => {
  const reported = collectUnhandledErrors()

  /** Subscribers that append their id on `next`, and the negative id on completion. */
  const subscribersOf = (ids: readonly number[], calls: number[]) =>
    ids.map((id) => createPriceSubscriber(a, { next: () => calls.push(id), complete: () => calls.push(-id) }))

  it('notifies all subscribers in order and completes none', () => {
    const calls: number[] = []
    const subscribers = subscribersOf([1, 2, 3], calls)
    deliver({ subscribers, eventFor: priceEvent(receivedPrice) })
    expect(calls).toEqual([1, 2, 3])
  })

  it('completes each subscriber after its event when `completes` is set', () => {
    const calls: number[] = []
    const subscribers = subscribersOf([1, 2], calls)
    deliver({ subscribers, eventFor: priceEvent(receivedPrice), completes: true })
    expect(calls).toEqual([1, -1, 2, -2])
    expect(subscribers.every(({ subscription }) => subscription.closed)).toBe(true)
  })

  it('skips a subscriber that an earlier one unsubscribes during the delivery', () => {
    const calls: number[] = []
    const second = createPriceSubscriber(a, { next: () => calls.push(2), complete: () => calls.push(-2) })
    const first = createPriceSubscriber(a, { next: () => second.subscription.unsubscribe() })
    deliver({ subscribers: [first, second], eventFor: priceEvent(receivedPrice), completes: true })
    expect(calls).toEqual([])
  })

  it('notifies the remaining subscribers after a handler throws, and RxJS reports the exception', () => {
    const calls: number[] = []
    runInVirtualTime(() => {
      const throws = () => {
        throw new Error('in a handler')
      }
      const subscribers = [
        createPriceSubscriber(a, { next: throws }),
        createPriceSubscriber(a, { next: () => calls.push(2), complete: throws }),
        createPriceSubscriber(a, { next: () => calls.push(3) }),
      ]
      deliver({ subscribers, eventFor: priceEvent(receivedPrice), completes: true })
    })
    expect(calls).toEqual([2, 3])
    expect(reported).toEqual([new Error('in a handler'), new Error('in a handler')])
  })
})
