import fc from 'fast-check'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Topic } from '../../../src/base/domain/topic.js'
import {
  directObserver,
  addToList,
  deliver,
  deliverPrice,
  removeFromList,
  subscribersIn,
  type PriceEvent,
  type PriceSubscription,
} from '../../../src/client/prices/subscribers.js'
import { stale } from '../../../src/base/errors/constructors.js'
import {
  createTopic,
  failureEvent,
  priceEvent,
  setPrice,
  type SubscribedTopic,
} from '../../../src/client/prices/topics.js'
import { a } from '../../support/time/marbles.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import { createPriceSubscriber, type TestPriceSubscriber } from './support/price-subscriber.js'

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

const spellings: readonly Topic[] = ['svc-0xaa', 'svc-0xAA', 'svc-0xAa']

/** What one subscriber does when it receives a price: it joins new subscribers, or removes others by their index. */
type Reaction = { readonly _tag: 'Join' } | { readonly _tag: 'Leave'; readonly index: number }
type Step = Reaction | { readonly _tag: 'Price' }

const reaction: fc.Arbitrary<Reaction> = fc.oneof(
  fc.constant({ _tag: 'Join' } as const),
  fc.record({ _tag: fc.constant('Leave' as const), index: fc.nat(20) }),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: reaction },
  { weight: 2, arbitrary: fc.constant({ _tag: 'Price' } as const) },
)

interface Member {
  readonly id: number
  readonly node: TestPriceSubscriber
}

/** Runs steps on a list, and on a naive array next to it. Returns which subscriber received which price, of both. */
const runSteps = (steps: readonly Step[], reactions: readonly (readonly Reaction[])[]) => {
  const state = createTopic('0xaa', 'svc-0xaa')
  const received: string[] = []
  const expected: string[] = []
  let members: readonly Member[] = []
  let joined = 0
  let price = 0
  let pending: (readonly Reaction[])[] = []

  const act = (one: Reaction): void => {
    if (one._tag === 'Join') return join()
    const member = members[one.index]
    if (member === undefined) return
    members = members.filter((other) => other !== member)
    member.node.subscription.unsubscribe()
    removeFromList(state, member.node)
  }
  const join = (): void => {
    const id = joined++
    const topic = spellings[id % spellings.length]!
    const node = createPriceSubscriber(topic, {
      next: (event) => {
        if (isRight(event)) received.push(`${id} ${event.right.topic} ${event.right.price}`)
        for (const one of pending.shift() ?? []) act(one)
      },
    })
    addToList(state, node)
    members = [...members, { id, node }]
  }
  const deliver = (): void => {
    setPrice(state, { price: ++price, receivedAt: 0, epoch: 1 })
    pending = [...reactions]
    deliverPrice(state, () => true)
  }
  /** The subscribers that the model expects to receive the next price, given what each does on receipt. */
  const expectPrice = (): void => {
    const next = price + 1
    let present = members.map(({ id }) => id)
    let newest = joined
    const queue = [...reactions]
    for (const { id, node } of members) {
      if (!present.includes(id)) continue
      expected.push(`${id} ${node.topic} ${next}`)
      for (const one of queue.shift() ?? []) {
        if (one._tag === 'Join') present = [...present, newest++]
        else present = present.filter((_, index) => index !== one.index)
      }
    }
  }

  for (const one of steps) {
    if (one._tag === 'Price') {
      expectPrice()
      deliver()
    } else act(one)
    expectLinks(state, members)
  }
  return { received, expected }
}

/** The list has the members in their order, and its links agree in both directions. */
const expectLinks = (state: SubscribedTopic, members: readonly Member[]): void => {
  const nodes: readonly PriceSubscription[] = members.map(({ node }) => node)
  // `toBe`: the nodes link to each other.
  expect(subscribersIn(state).map((node) => nodes.indexOf(node))).toEqual(nodes.map((_, index) => index))
  nodes.forEach((node, index) => expect(node.previous).toBe(nodes[index - 1]))
  expect(state.last).toBe(nodes.at(-1))
  const sole = nodes.length === 1 && nodes[0]?.topic === state.topic ? nodes[0] : undefined
  expect(state.soleSubscriber).toBe(sole && directObserver(sole.subscriber))
}

describe('a SubscriberList', () => {
  it('delivers like an array that is copied on each change, for any order of joins, leaves and prices', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.array(fc.array(reaction, { maxLength: 4 }), { maxLength: 10 }),
        (steps, reactions) => {
          const { received, expected } = runSteps(steps, reactions)
          expect(received).toEqual(expected)
        },
      ),
    )
  })

  it('is not affected by a subscriber that is removed twice', () => {
    const state = createTopic('0xaa', 'svc-0xaa')
    const [first, second, third] = [1, 2, 3].map(() => createPriceSubscriber('svc-0xaa'))
    for (const each of [first!, second!, third!]) addToList(state, each)
    removeFromList(state, second!)
    removeFromList(state, second!)
    expect(subscribersIn(state)).toHaveLength(2)
    expect(state.first).toBe(first)
    expect(state.last).toBe(third)
  })

  it('accesses a constant number of fields when a subscriber joins or leaves, however many there are', () => {
    const state = createTopic('0xaa', 'svc-0xaa')
    let accesses = 0
    const counted = (): PriceSubscription =>
      new Proxy<PriceSubscription>(createPriceSubscriber('svc-0xaa'), {
        get: (target, key) => {
          accesses++
          return Reflect.get(target, key) as unknown
        },
        set: (target, key, value) => {
          accesses++
          return Reflect.set(target, key, value)
        },
      })
    const accessesOf = (change: () => void): number => {
      accesses = 0
      change()
      return accesses
    }
    const subscribers = Array.from({ length: 1000 }, counted)
    const joining = subscribers.map((each) => accessesOf(() => addToList(state, each)))
    // From the middle, from the start, and from the end.
    const order = [...subscribers.splice(400, 200), ...subscribers.splice(0, 100), ...subscribers.reverse()]
    const leaving = order.map((each) => accessesOf(() => removeFromList(state, each)))
    expect(Math.max(...joining, ...leaving)).toBeLessThanOrEqual(10)
    expect(subscribersIn(state)).toEqual([])
  })
})
