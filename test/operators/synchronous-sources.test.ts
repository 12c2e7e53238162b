import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { from, map, NEVER, take, type Observable, type OperatorFunction } from 'rxjs'
import { expect, it } from 'vitest'
import type { Price } from '../../src/index.js'
import {
  candles,
  conflate,
  freshWithin,
  snapshots,
  withPast,
  type PastEvent,
} from '../../src/operators/index.js'
import { price } from '../../src/testing/index.js'

const topic = 'svc-0xab'

/** Prices at a distance of 100 ms, from now on, and how many of them have been read. */
const manyPrices = () => {
  const start = Date.now()
  const log = { read: 0 }
  const read = function* (): Generator<Price> {
    for (let index = 0; index < 10_000; index++) {
      log.read++
      yield price(topic, 1 + (index % 7), { receivedAt: start + index * 100 })
    }
  }
  return { log, price$: from(read()) }
}

type Operator = OperatorFunction<Either<string, Price>, unknown>

it.each<[string, Operator, number]>([
  ['freshWithin', freshWithin(1000), 3],
  ['snapshots', snapshots(1000), 25],
  ['candles', candles(1000), 25],
])('%s stops reading a synchronous source when its subscriber unsubscribes', (_, operator, most) => {
  const { log, price$ } = manyPrices()
  const emitted: unknown[] = []
  price$
    .pipe(
      map((value) => right(value)),
      operator,
      take(2),
    )
    .subscribe((event) => emitted.push(event))
  expect(emitted).toHaveLength(2)
  expect(log.read).toBeGreaterThan(1)
  expect(log.read).toBeLessThanOrEqual(most)
})

it('conflate stops reading a synchronous source of Lefts when its subscriber unsubscribes', () => {
  const { log, price$ } = manyPrices()
  const emitted: unknown[] = []
  price$
    .pipe(
      map(() => left('failed')),
      conflate(1000),
      take(2),
    )
    .subscribe((event) => emitted.push(event))
  expect([emitted, log.read]).toEqual([[left('failed'), left('failed')], 3])
})

it.each<[string, (past$: Observable<Either<never, PastEvent>>) => Operator, number]>([
  ['withPast', (past$) => withPast(past$), 3],
  ['candles', (past$) => candles(1000, { past$ }), 25],
])('%s stops reading a synchronous past when its subscriber unsubscribes', (_, operatorOf, most) => {
  const { log, price$ } = manyPrices()
  const past$ = price$.pipe(
    map((each): Either<never, PastEvent> => {
      return right({ _tag: 'PastPrice', topic, price: each.price, at: each.receivedAt - 3_600_000 })
    }),
  )
  const emitted: unknown[] = []
  NEVER.pipe(operatorOf(past$), take(2)).subscribe((event) => emitted.push(event))
  expect(emitted).toHaveLength(2)
  expect(log.read).toBeLessThanOrEqual(most)
})
