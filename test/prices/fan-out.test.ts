import { left } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { stale } from '../../src/errors/constructors.js'
import { deliver } from '../../src/prices/fan-out.js'
import { failureEvent, priceEvent } from '../../src/prices/price-events.js'
import type { PriceEvent } from '../../src/prices/topic-state.js'
import { a } from '../support/marbles.js'
import { listenerOf } from './support/subscribers.js'
import { unhandledErrors } from '../support/unhandled.js'
import { virtually } from '../support/virtual.js'

const quote = { price: 7, receivedAt: 5, epoch: 3 }

describe('what is told', () => {
  it('is spelled for each listener', () => {
    expect(priceEvent(quote)('svc-0xAa')).toEqual({ _tag: 'Right', right: { topic: 'svc-0xAa', ...quote } })
    expect(failureEvent((topic) => stale(topic, 1, undefined))(a)).toEqual(left(stale(a, 1, undefined)))
  })

  it('is one value for those who spell the topic alike', () => {
    const heard: PriceEvent[] = []
    const hears = { next: (event: PriceEvent) => void heard.push(event) }
    const subscribers = [a, a, 'svc-0xAA', a].map((topic) => listenerOf(topic as typeof a, hears))
    deliver({ subscribers, eventFor: priceEvent(quote) })
    expect(heard).toHaveLength(4)
    expect(heard[1]).toBe(heard[0])
    expect(heard[2]).toEqual(priceEvent(quote)('svc-0xAA'))
    expect(heard[3]).toEqual(heard[0])
  })
})

describe('deliver', () => {
  const reported = unhandledErrors()

  it('tells everybody, in order, and ends nobody', () => {
    const heard: number[] = []
    const subscribers = [1, 2, 3].map((who) =>
      listenerOf(a, { next: () => heard.push(who), complete: () => heard.push(-who) }),
    )
    deliver({ subscribers, eventFor: priceEvent(quote) })
    expect(heard).toEqual([1, 2, 3])
  })

  it('ends each with the last thing that there is to tell', () => {
    const heard: number[] = []
    const subscribers = [1, 2].map((who) =>
      listenerOf(a, { next: () => heard.push(who), complete: () => heard.push(-who) }),
    )
    deliver({ subscribers, eventFor: priceEvent(quote), completes: true })
    expect(heard).toEqual([1, -1, 2, -2])
    expect(subscribers.every(({ subscription }) => subscription.closed)).toBe(true)
  })

  it('tells nothing to a listener whom another one has just made leave', () => {
    const heard: number[] = []
    const second = listenerOf(a, { next: () => heard.push(2), complete: () => heard.push(-2) })
    const first = listenerOf(a, { next: () => second.subscription.unsubscribe() })
    deliver({ subscribers: [first, second], eventFor: priceEvent(quote), completes: true })
    expect(heard).toEqual([])
  })

  it('is not disturbed by a handler that throws; Rx reports the throw', () => {
    const heard: number[] = []
    virtually(() => {
      const throws = () => {
        throw new Error('in a handler')
      }
      const subscribers = [
        listenerOf(a, { next: throws }),
        listenerOf(a, { next: () => heard.push(2), complete: throws }),
        listenerOf(a, { next: () => heard.push(3) }),
      ]
      deliver({ subscribers, eventFor: priceEvent(quote), completes: true })
    })
    expect(heard).toEqual([2, 3])
    expect(reported).toEqual([new Error('in a handler'), new Error('in a handler')])
  })
})
