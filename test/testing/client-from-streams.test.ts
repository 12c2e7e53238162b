import fc from 'fast-check'
import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it } from 'vitest'
import type { Depth } from '../../src/base/domain/depth.js'
import type { Price } from '../../src/base/domain/price.js'
import { resultOf, type TopicState } from '../../src/base/domain/snapshot.js'
import { topicStateOf } from '../../src/base/errors/topic-state.js'
import { decodeError, disconnected, stale, timeout } from '../../src/base/errors/constructors.js'
import type { DepthError, PriceError } from '../../src/base/errors/model.js'
import { createTestClient } from '../../src/testing/index.js'
import { depth, price } from '../../src/testing/builders.js'

/** Runs each step at its time, in ms of virtual time. */
const atTimes = (steps: readonly (readonly [ms: number, step: () => void])[]): void => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => {
    for (const [ms, step] of steps) scheduler.schedule(step, ms)
  })
}

describe('inspect() of a client from streams', () => {
  it('counts the subscribers of each topic and returns its state and the age of its price', () => {
    const price$ = new Subject<Either<PriceError, Price>>()
    const events: Either<PriceError, Price>[] = [
      right(price('svc-0xab', 1)),
      left(stale('svc-0xab', 5, undefined)),
      left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 })),
    ]
    const client = createTestClient({ prices: { 'svc-0xab': price$ } })
    const snapshots: unknown[] = []
    const takeSnapshot = () => snapshots.push(client.inspect().topics)
    atTimes([
      [
        0,
        () => {
          client.price$('svc-0xAB').subscribe()
          const second = client.price$('svc-0xab').subscribe()
          takeSnapshot()
          second.unsubscribe()
        },
      ],
      [1, () => price$.next(events[0]!)],
      [11, takeSnapshot],
      [12, () => price$.next(events[1]!)],
      [13, takeSnapshot],
      [14, () => price$.next(events[2]!)],
      [15, takeSnapshot],
      [16, () => price$.complete()],
      [17, takeSnapshot],
    ])
    const topic = 'svc-0xAB'
    expect(snapshots).toEqual([
      [{ topic, subscribers: 2, state: 'waiting', lastPriceAgeMs: null }],
      [{ topic, subscribers: 1, state: 'live', lastPriceAgeMs: 10 }],
      [{ topic, subscribers: 1, state: 'stale', lastPriceAgeMs: 12 }],
      [{ topic, subscribers: 1, state: 'down', lastPriceAgeMs: null }],
      [],
    ])
  })

  it('counts an error of a given stream that is none of this library as waiting', () => {
    const event$ = new Subject<Either<PriceError, Price>>()
    const client = createTestClient({ prices: { 'svc-0xab': event$ } })
    client.price$('svc-0xab').subscribe()
    for (const error of [{ _tag: 'Unknown' }, { _tag: 'constructor' }]) {
      event$.next(left(error as unknown as PriceError))
      expect(client.inspect().topics).toMatchObject([{ state: 'waiting' }])
    }
  })

  it('returns the figures of the events so far, for any events, times and subscribers', () => {
    const eventOf = fc.constantFrom<Either<PriceError, Price>>(
      right(price('svc-0xab', 1)),
      left(decodeError('price', '', [])),
      left(stale('svc-0xab', 5, undefined)),
      left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 })),
    )
    const resultAfter = fc.constantFrom<Either<DepthError, Depth>>(right(depth('0xab')), left(timeout(50)))
    const steps = fc.array(fc.tuple(eventOf, resultAfter, fc.nat(5)), { maxLength: 12 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 2 }), (events, subscribers) => {
        let now = 0
        const price$ = new Subject<Either<PriceError, Price>>()
        const depth$ = new Subject<Either<DepthError, Depth>>()
        const client = createTestClient({ prices: { 'svc-0xab': price$ }, depths: { '0xab': depth$ } })
        let [state, lastResult]: [TopicState, string] = ['waiting', 'none']
        let [valueAt, resultAt]: (number | null)[] = [null, null]
        const ageOf = (time: number | null | undefined) => (typeof time === 'number' ? now - time : null)
        const seen: unknown[] = []
        const expected: unknown[] = []
        const subscribe = (): void => {
          for (let index = 0; index < subscribers; index++) {
            client.price$('svc-0xab').subscribe()
            client.depth$('0xab', 5).subscribe()
          }
        }
        const timed = events.flatMap(([event, result, ms]) => {
          const emit = (): void => {
            price$.next(event)
            depth$.next(result)
          }
          state = isRight(event) ? 'live' : topicStateOf(event.left, valueAt !== null)
          lastResult = resultOf(result)
          resultAt = now
          valueAt = isRight(event) ? now : state === 'waiting' || state === 'down' ? null : valueAt
          const emittedAt = now
          now += ms
          const poll = {
            mint: '0xab',
            interval: 5,
            subscribers,
            lastResult,
            lastResultAgeMs: ageOf(resultAt),
          }
          expected.push({
            topics: [{ topic: 'svc-0xab', subscribers, state, lastPriceAgeMs: ageOf(valueAt) }],
            polls: [poll],
          })
          return [
            [emittedAt, emit],
            [now, () => seen.push(client.inspect())],
          ] as const
        })
        atTimes([[0, subscribe], ...timed])
        expect(seen).toMatchObject(expected)
      }),
    )
  })
})
