import fc from 'fast-check'
import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it } from 'vitest'
import { StreamStats } from '../../src/testing/client-from-streams.js'
import type { Price } from '../../src/base/domain/price.js'
import { resultOf, type TopicState } from '../../src/base/domain/snapshot.js'
import { topicStateOf } from '../../src/base/errors/topic-state.js'
import { decodeError, disconnected, stale, timeout } from '../../src/base/errors/constructors.js'
import type { PriceError } from '../../src/base/errors/model.js'
import { depth, price } from '../../src/testing/builders.js'
import { rxClock } from '../../src/base/time/clock.js'

/** Runs each step at its time, in ms of virtual time. */
const atTimes = (steps: Readonly<Record<number, () => void>>): void => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => {
    for (const [ms, step] of Object.entries(steps)) scheduler.schedule(step, Number(ms))
  })
}

describe('StreamStats', () => {
  it('counts the subscribers of each topic and returns its state and the age of its price', () => {
    const stats = new StreamStats(rxClock.elapsed)
    const price$ = new Subject<Either<PriceError, Price>>()
    const events: Either<PriceError, Price>[] = [
      right(price('svc-0xab', 1)),
      left(stale('svc-0xab', 5, undefined)),
      left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 })),
    ]
    const snapshots: unknown[] = []
    const takeSnapshot = () => snapshots.push(stats.topics())
    const upperCase$ = stats.price$('svc-0xAB', price$)
    atTimes({
      0: () => {
        const subscriptions = [upperCase$.subscribe(), stats.price$('svc-0xab', price$).subscribe()]
        takeSnapshot()
        subscriptions[1]?.unsubscribe()
      },
      1: () => price$.next(events[0]!),
      11: takeSnapshot,
      12: () => price$.next(events[1]!),
      13: takeSnapshot,
      14: () => price$.next(events[2]!),
      15: takeSnapshot,
      16: () => price$.complete(),
      17: takeSnapshot,
    })
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
    const stats = new StreamStats(() => 0)
    const event$ = new Subject<Either<{ readonly _tag: string }, Price>>()
    stats.price$('svc-0xab', event$).subscribe()
    for (const error of [{ _tag: 'Unknown' }, { _tag: 'constructor' }]) {
      event$.next(left(error))
      expect(stats.topics()).toMatchObject([{ state: 'waiting' }])
    }
  })

  it('returns the figures of the events so far, for any events, times and subscribers', () => {
    const eventOf = fc.constantFrom<Either<PriceError, Price>>(
      right(price('svc-0xab', 1)),
      left(decodeError('price', '', [])),
      left(stale('svc-0xab', 5, undefined)),
      left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 })),
    )
    const steps = fc.array(fc.tuple(eventOf, fc.nat(5)), { maxLength: 12 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 2 }), (events, subscribers) => {
        let now = 0
        const stats = new StreamStats(() => now)
        const event$ = new Subject<Either<PriceError, Price>>()
        const price$ = stats.price$('svc-0xab', event$)
        const depth$ = stats.depth$('0xab', 5, event$)
        for (let index = 0; index < subscribers; index++)
          for (const each$ of [price$, depth$]) each$.subscribe()
        let [state, lastResult]: [TopicState, string] = ['waiting', 'none']
        let [valueAt, eventAt]: (number | null)[] = [null, null]
        const ageOf = (time: number | null | undefined) => (typeof time === 'number' ? now - time : null)
        for (const [event, ms] of events) {
          event$.next(event)
          state = isRight(event) ? 'live' : topicStateOf(event.left, valueAt !== null)
          lastResult = resultOf(event)
          eventAt = now
          valueAt = isRight(event) ? now : state === 'waiting' || state === 'down' ? null : valueAt
          now += ms
          const age = { topic: ageOf(valueAt), poll: ageOf(eventAt) }
          expect(stats.topics()).toEqual([
            { topic: 'svc-0xab', subscribers, state, lastPriceAgeMs: age.topic },
          ])
          const poll = { mint: '0xab', interval: 5, subscribers, lastResult, lastResultAgeMs: age.poll }
          expect(stats.polls()).toEqual([poll])
        }
      }),
    )
  })

  it('returns the last result of each poll and its age, by mint and interval', () => {
    const stats = new StreamStats(rxClock.elapsed)
    const [slow$, fast$] = [
      new Subject<Either<{ _tag: string }, unknown>>(),
      new Subject<Either<{ _tag: string }, unknown>>(),
    ]
    const snapshots: unknown[] = []
    atTimes({
      0: () => {
        stats.depth$('0xab', 500, slow$).subscribe()
        stats.depth$('0xab', 100, fast$).subscribe()
      },
      1: () => slow$.next(right(depth('0xab'))),
      2: () => fast$.next(left(timeout(50))),
      5: () => snapshots.push(stats.polls()),
    })
    expect(snapshots).toEqual([
      [
        { mint: '0xab', interval: 500, subscribers: 1, lastResult: 'ok', lastResultAgeMs: 4 },
        { mint: '0xab', interval: 100, subscribers: 1, lastResult: 'Timeout', lastResultAgeMs: 3 },
      ],
    ])
  })
})
