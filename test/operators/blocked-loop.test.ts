import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject, type Observable } from 'rxjs'
import type { Price } from 'svc-streams'
import { candles, conflate, iterate, snapshots } from 'svc-streams/operators'
import { expect, it, onTestFinished } from 'vitest'
import {
  confirmAndSendPrice,
  createPriceClient,
  startScriptedService,
} from '../support/network/scripted-service.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { createPrice } from './support/timeline.js'

// After a blocked event loop, timers fire before the source can emit that its last price is too old.

const block = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** The events of each operator that has a timer. */
const collectAll = <E>(source$: Observable<Either<E, Price>>, onEvent?: () => void) => {
  const collect = (result$: Observable<Either<E, object>>): readonly Either<E, object>[] => {
    const events: Either<E, object>[] = []
    const subscription = result$.subscribe((event) => {
      events.push(event)
      onEvent?.()
    })
    // The operators with an interval of their own would never end.
    onTestFinished(() => subscription.unsubscribe())
    return events
  }
  return {
    conflate: collect(source$.pipe(conflate(100))),
    snapshots: collect(source$.pipe(snapshots(100))),
    candles: collect(source$.pipe(candles(100))),
    'candles with fill': collect(source$.pipe(candles(100, { fill: true }))),
  }
}

/** True if a strategy would take the value for a current one. */
const isTaken = (event: Either<unknown, object>): boolean =>
  isRight(event) && !('isCurrent' in event.right && !event.right.isCurrent)

it('operators emit no value as current before a Left that follows a blocked event loop', async () => {
  const source$ = new Subject<Either<string, Price>>()
  const all = Object.entries(collectAll(source$))
  source$.next(right(createPrice(1, Date.now())))
  block(700)
  // A turn of the event loop, in which the timers fire.
  await new Promise((resolve) => setTimeout(() => setImmediate(resolve)))
  source$.next(left('too old'))
  for (const [name, events] of all) {
    expect([name, events.filter(isTaken)]).toEqual([name, []])
    expect(events).toContainEqual(left('too old'))
  }
})

it('operators emit the value of a quiet source after a blocked event loop', async () => {
  const source$ = new Subject<Either<string, Price>>()
  const all = Object.values(collectAll(source$))
  source$.next(right(createPrice(1, Date.now())))
  block(700)
  for (const events of all) await eventually(() => expect(events.some(isTaken)).toBe(true))
})

it('operators emit nothing after a blocked event loop before the client does', async () => {
  const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
  const client = createPriceClient(service.url, { maxLag: 1_000 })
  const price$ = client.price$(ethTopic)
  let priceEvents = 0
  price$.subscribe(() => priceEvents++)
  await eventually(() => expect(service.connections[0]?.pingCount()).toBeGreaterThan(1))
  const counts: number[] = []
  const all = Object.values(collectAll(price$, () => counts.push(priceEvents)))
  service.connections[0]?.sendPrice(ethTopic, 2)
  await eventually(() => expect(priceEvents).toBe(2))
  service.connections[0]?.sendPrice(ethTopic, 3)
  // On a busy machine, a window has ended before the block.
  counts.length = 0
  block(2_000)
  await eventually(() => counts.length > 0 && all.every((events) => events.length > 0))
  expect(Math.min(...counts)).toBeGreaterThan(2)
})

it('a loop of iterate reads the Left that follows a blocked event loop, and the value of a quiet source', async () => {
  const source$ = new Subject<Either<string, number>>()
  const events = iterate(source$)[Symbol.asyncIterator]()
  const first = events.next()
  source$.next(right(1))
  await first
  source$.next(right(2))
  block(700)
  const second = events.next()
  await new Promise((resolve) => setImmediate(resolve))
  source$.next(left('too old'))
  expect((await second).value).toEqual(left('too old'))
  source$.next(right(3))
  block(700)
  expect((await events.next()).value).toEqual(right(3))
})
