import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it } from 'vitest'
import { StreamStats } from '../../src/client/stream-stats.js'
import type { Price } from '../../src/domain/price.js'
import { disconnected, stale, timeout } from '../../src/errors/constructors.js'
import type { PriceError } from '../../src/errors/model.js'
import { depth, price } from '../../src/testing/builders.js'

/** Runs steps in virtual time, each at its ms. */
const atTimes = (steps: Readonly<Record<number, () => void>>): void => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => {
    for (const [ms, step] of Object.entries(steps)) scheduler.schedule(step, Number(ms))
  })
}

describe('who looks on', () => {
  it('sees of each topic who listens, what state it is in, and how old its price is', () => {
    const watch = new StreamStats()
    const price$ = new Subject<Either<PriceError, Price>>()
    const events: Either<PriceError, Price>[] = [
      right(price('svc-0xab', 1)),
      left(stale('svc-0xab', 5, undefined)),
      left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 })),
    ]
    const seen: unknown[] = []
    const look = () => seen.push(watch.topics())
    const own = watch.price$('svc-0xAB', price$)
    atTimes({
      0: () => {
        const leavers = [own.subscribe(), watch.price$('svc-0xab', price$).subscribe()]
        look()
        leavers[1]?.unsubscribe()
      },
      1: () => price$.next(events[0]!),
      11: look,
      12: () => price$.next(events[1]!),
      13: look,
      14: () => price$.next(events[2]!),
      15: look,
      16: () => price$.complete(),
      17: look,
    })
    const topic = 'svc-0xAB'
    expect(seen).toEqual([
      [{ topic, subscribers: 2, state: 'waiting', lastPriceAgeMs: null }],
      [{ topic, subscribers: 1, state: 'live', lastPriceAgeMs: 10 }],
      [{ topic, subscribers: 1, state: 'stale', lastPriceAgeMs: 12 }],
      [{ topic, subscribers: 1, state: 'waiting', lastPriceAgeMs: 14 }],
      [],
    ])
  })

  it('sees each poll by its mint and interval, and what its last result was', () => {
    const watch = new StreamStats()
    const [slow$, fast$] = [
      new Subject<Either<{ _tag: string }, unknown>>(),
      new Subject<Either<{ _tag: string }, unknown>>(),
    ]
    const seen: unknown[] = []
    atTimes({
      0: () => {
        watch.depth$('0xab', 500, slow$).subscribe()
        watch.depth$('0xab', 100, fast$).subscribe()
      },
      1: () => slow$.next(right(depth('0xab'))),
      2: () => fast$.next(left(timeout(50))),
      5: () => seen.push(watch.polls()),
    })
    expect(seen).toEqual([
      [
        { mint: '0xab', interval: 500, subscribers: 1, lastResult: 'ok', lastResultAgeMs: 4 },
        { mint: '0xab', interval: 100, subscribers: 1, lastResult: 'Timeout', lastResultAgeMs: 3 },
      ],
    ])
  })
})
