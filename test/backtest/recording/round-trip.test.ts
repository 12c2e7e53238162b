import fc from 'fast-check'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { asyncScheduler, lastValueFrom, map, materialize, merge, toArray, type Observable } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import type { Address, Client, Depth, DepthError, Price, PriceError, Topic } from 'svc-streams'
import { record, replay } from 'svc-streams/recording'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { priceValue, quantity } from '../../support/arbitraries.js'
import { caseCount } from '../../support/run/long.js'
import { depthError, priceError } from './support/errors.js'
import { emitScript$, memoryWriter, playedRows, type Delayed } from './support/rows.js'
import { chunksOf } from './support/recordings.js'

// A replay of a recording emits the same values, errors and completions, in the same order, at the same times.

const topics: readonly Topic[] = ['svc-0xab', 'svc-0xcd']
const mints: readonly Address[] = ['0xab', '0xef']
const interval = 250

const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true })

const time = fc.integer({ min: 0, max: 2 ** 45 })
const usd = fc.double({ min: 0, max: 1e12, noNaN: true }).map((value) => value + 0)

const priceOf = (topic: Topic): fc.Arbitrary<Price> =>
  plain({ topic: fc.constant(topic), price: priceValue, receivedAt: time, epoch: fc.nat() })

const side = plain({ totalQuantity: quantity, totalQuantityUsd: usd })

const depthOf = (mint: Address): fc.Arbitrary<Depth> =>
  plain({
    mint: fc.constant(mint),
    price: priceValue,
    timestamp: time,
    buy: side,
    sell: side,
    receivedAt: time,
  })

const eventOf = <E, A>(error: fc.Arbitrary<E>, value: fc.Arbitrary<A>): fc.Arbitrary<Either<E, A>> =>
  fc.oneof(
    value.map((right) => ({ _tag: 'Right', right }) as const),
    error.map((left) => ({ _tag: 'Left', left }) as const),
  )

interface Script<A> {
  readonly events: readonly Delayed<A>[]
  readonly completes: boolean
}

const scriptOf = <A>(event: fc.Arbitrary<A>): fc.Arbitrary<Script<A>> =>
  fc.record({
    events: fc.array(fc.record({ ms: fc.nat(50), value: event }), { maxLength: 8 }),
    completes: fc.boolean(),
  })

/** Errors after which a client completes the stream. */
const finalTags = ['InvalidTopic', 'InvalidMint', 'InvalidInterval', 'SubscriptionRejected', 'ClientClosed']

/** True if the stream completes before the end of the recording. */
const completesBefore = ({ events, completes }: Script<Either<PriceError | DepthError, unknown>>): boolean =>
  completes || events.some(({ value }) => isLeft(value) && finalTags.includes(value.left._tag))

/** Errors that name the topic of their stream. */
const priceErrorOf = (topic: Topic): fc.Arbitrary<PriceError> =>
  priceError.map((error) => ('topic' in error ? { ...error, topic } : error))

const scripts = fc.record({
  prices: fc.tuple(...topics.map((topic) => scriptOf(eventOf(priceErrorOf(topic), priceOf(topic))))),
  depths: fc.tuple(...mints.map((mint) => scriptOf(eventOf(depthError, depthOf(mint))))),
})

/** All notifications of all streams, with their times. */
const notifications$ = (client: Client): Observable<unknown> => {
  const timed$ = (name: string, source$: Observable<unknown>) =>
    source$.pipe(
      materialize(),
      map(({ kind, value }) => ({ name, kind, value, at: asyncScheduler.now() })),
    )
  return merge(
    ...topics.map((topic) => timed$(topic, client.price$(topic))),
    ...mints.map((mint) => timed$(mint, client.depth$(mint, interval))),
  )
}

describe('a replay of a recording', () => {
  it(
    'emits every recorded value, error and completion, in order, at its time',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(scripts, async ({ prices, depths }) => {
          const to = memoryWriter()
          const seen: unknown[] = []
          new TestScheduler(() => undefined).run(() => {
            const client = createTestClient({
              prices: Object.fromEntries(
                topics.map((topic, n) => [topic, emitScript$(prices[n]!.events, prices[n]!.completes)]),
              ),
              depths: Object.fromEntries(
                mints.map((mint, n) => [mint, emitScript$(depths[n]!.events, depths[n]!.completes)]),
              ),
            })
            notifications$(client).subscribe((value) => seen.push(value))
            record(client, { topics, mints, interval, to })
          })

          const client = replay(chunksOf(to.text()), { speed: Infinity })
          const replayed = await lastValueFrom(client.run$(notifications$).pipe(toArray()))
          // Streams without a recorded completion complete at the end of the recording.
          const added = [...prices, ...depths].filter((script) => !completesBefore(script)).length
          expect(replayed.slice(0, replayed.length - added)).toStrictEqual(seen)
          expect(await client.finished).toEqual(playedRows(to.lines.length - 1))
        }),
        { numRuns: caseCount(2000) },
      )
    },
  )
})
