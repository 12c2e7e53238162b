import { isRight, right } from 'fp-ts/lib/Either.js'
import {
  asyncScheduler,
  finalize,
  firstValueFrom,
  map,
  mergeMap,
  NEVER,
  skip,
  Subscription,
  timer,
  type Observable,
  type Observer,
} from 'rxjs'
import type { Client } from 'svc-streams'
import { replay, type ReplayClient } from 'svc-streams/recording'
import { depth } from 'svc-streams/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { isVirtualTime } from '../../../src/base/time/clock.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { currentDelegates, unusedDelegates } from '../../support/time/unused-delegates.js'
import { eventually } from '../../support/time/eventually.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import {
  chunksOf,
  collect,
  header,
  mint,
  other,
  priceRow,
  recordingText,
  start,
  topic,
} from '../recording/support/recordings.js'
import { playedRows } from '../recording/support/rows.js'

// The counterpart of test/promises/isolation.test.ts for a replay.

const unhandled = collectUnhandledErrors()

const rounds = 5

/** One row of each stream per millisecond. */
const rows = Array.from({ length: rounds }, (_, n): readonly Row[] => [
  priceRow(n, n + 1),
  priceRow(n, n + 1, other),
  { _tag: 'Depth', at: start + n, mint, event: right(depth(mint, { price: n + 1 })) },
  { _tag: 'Status', at: start + n, status: { _tag: 'Connecting', attempt: n + 1 } },
  {
    _tag: 'Uncorrelated',
    at: start + n,
    error: { _tag: 'UncorrelatedError', message: 'm', kind: 'error-text', input: String(n + 1) },
  },
]).flat()

const clients: ReplayClient[] = []

const replayAt = (speed: number): ReplayClient => {
  const client = replay(chunksOf(recordingText(header, ...rows)), { speed })
  clients.push(client)
  return client
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  // RxJS reports an exception in a timer of 0 ms. This timer fires after it.
  await firstValueFrom(timer(1))
})

const streams: Readonly<Record<string, (client: Client) => Observable<unknown>>> = {
  price$: (client) => client.price$(topic),
  depth$: (client) => client.depth$(mint, 100),
  status$: (client) => client.status$,
  errors$: (client) => client.errors$,
}

const boom = (): never => {
  throw new Error('mine')
}

const ignored: Partial<Observer<unknown>> = { error: () => undefined }

type Attach = (source$: Observable<unknown>) => unknown

const failures: Readonly<Record<string, Attach>> = {
  next: (source$) => source$.subscribe(boom),
  complete: (source$) => source$.subscribe({ complete: boom }),
  'an operator': (source$) => source$.pipe(skip(1), map(boom)).subscribe(ignored),
  'an operator and its teardown': (source$) =>
    source$.pipe(skip(1), map(boom), finalize(boom)).subscribe(ignored),
  'an operator and its teardown, on its first event': (source$) =>
    source$.pipe(map(boom), finalize(boom)).subscribe(ignored),
  'a teardown': (source$) => source$.pipe(finalize(boom)).subscribe(),
}

/** In real time, RxJS throws these from a timer of its own, as usual. */
const failuresInVirtualTime: typeof failures = {
  ...failures,
  // The first event of status$ is emitted on subscription, in real time.
  'an inner stream and its teardown': (source$) =>
    source$
      .pipe(
        skip(1),
        mergeMap(() => timer(1).pipe(map(boom), finalize(boom))),
        finalize(boom),
      )
      .subscribe(ignored),
  'an action of a scheduler': (source$) =>
    source$.pipe(skip(1)).subscribe(() => asyncScheduler.schedule(boom, 1)),
}

interface Seen {
  readonly events: unknown[]
  completed: boolean
}

const watch = (source$: Observable<unknown>, subscription = new Subscription()): Seen => {
  const seen: Seen = { events: [], completed: false }
  subscription.add(
    source$.subscribe({ next: (event) => seen.events.push(event), complete: () => (seen.completed = true) }),
  )
  return seen
}

const watchAll = (client: Client): readonly Seen[] =>
  [...Object.values(streams), (each: Client) => each.price$(other)].map((stream) => watch(stream(client)))

const expectAllOf = (all: readonly Seen[]): void => {
  for (const { events, completed } of all) {
    expect(events.length).toBeGreaterThanOrEqual(rounds)
    expect(completed).toBe(true)
  }
  expect(isVirtualTime()).toBe(false)
}

const pairsWith = (cases: typeof failures): readonly (readonly [string, string])[] =>
  Object.keys(streams).flatMap((stream) => Object.keys(cases).map((failure) => [stream, failure] as const))

describe.each([1, 1000, Infinity])('an exception at speed %s', (speed) => {
  it.each(pairsWith(speed === Infinity ? failuresInVirtualTime : failures))(
    'of a subscriber of %s, in %s, affects no other subscriber',
    async (stream, failure) => {
      const client = replayAt(speed)
      const before = watchAll(client)
      failuresInVirtualTime[failure]!(streams[stream]!(client))
      const after = watchAll(client)
      const [price, current] = await Promise.all([client.price(topic)(), client.depth(mint)()])
      expect([isRight(price), isRight(current)]).toEqual([true, true])
      expect(await client.finished).toEqual(playedRows(rows.length))
      expectAllOf([...before, ...after])
    },
  )
})

describe('an exception inside run$', () => {
  it.each(pairsWith(failuresInVirtualTime))(
    'of a subscriber of %s, in %s, affects no other subscriber',
    async (stream, failure) => {
      const client = replayAt(Infinity)
      let inside: readonly Seen[] = []
      const run = watch(
        client.run$((each) => {
          failuresInVirtualTime[failure]!(streams[stream]!(each))
          inside = watchAll(each)
          return NEVER
        }),
      )
      const outside = watchAll(client)
      expect(await client.finished).toEqual(playedRows(rows.length))
      expectAllOf([...inside, ...outside])
      expect(run.completed).toBe(true)
    },
  )

  it.each<[string, Attach]>([
    ...Object.entries(failures),
    ['the strategy and its teardown', (source$) => source$.pipe(finalize(boom)).subscribe(ignored)],
  ])('of a subscriber of run$, in %s, affects no other subscriber', async (_, attach) => {
    const client = replayAt(Infinity)
    const before = watchAll(client)
    attach(client.run$((each) => each.price$(topic)))
    attach(client.run$(boom))
    const after = watchAll(client)
    expect(await client.finished).toEqual(playedRows(rows.length))
    expectAllOf([...before, ...after])
  })
})

it('a strategy whose teardown throws when run$ is unsubscribed from ends the replay', async () => {
  const client = replayAt(Infinity)
  const subscription = client.run$((each) => each.price$(topic).pipe(finalize(boom))).subscribe()
  await client.header()
  await nextTurn()
  subscription.unsubscribe()
  await client.finished
  await eventually(() => unhandled.length > 0)
  expect(currentDelegates()).toEqual(unusedDelegates)
})

it('reports the exceptions of handlers', async () => {
  const client = replayAt(Infinity)
  for (const stream of Object.values(streams)) stream(client).subscribe({ next: boom, complete: boom })
  await client.finished
  // Each stream has an event per round and a completion; `status$` also has its first status.
  await eventually(() => expect(unhandled.length).toBe(4 * (rounds + 1) + 1))
})

describe.each([1000, Infinity])('a handler of next at speed %s', (speed) => {
  it.each(Object.keys(streams))('of %s can unsubscribe and subscribe', async (stream) => {
    const client = replayAt(speed)
    const others = new Subscription()
    const inner: Seen[] = []
    const before = watchAll(client)
    streams[stream]!(client).subscribe(() => {
      others.unsubscribe()
      inner.push(...watchAll(client))
    })
    const left = watch(client.errors$, others)
    const after = watchAll(client)
    expect(await client.finished).toEqual(playedRows(rows.length))
    expectAllOf([...before, ...after])
    expect(inner.length).toBeGreaterThan(rounds)
    expect(inner.every(({ completed }) => completed)).toBe(true)
    expect(left.events.length).toBeLessThanOrEqual(1)
  })

  it.each(Object.keys(streams))('of %s can close the replay', async (stream) => {
    const client = replayAt(speed)
    const all = watchAll(client)
    streams[stream]!(client)
      .pipe(skip(2))
      .subscribe(() => void client.close())
    const result = await client.finished
    expect(isRight(result) && result.right.rows).toBeLessThan(rows.length)
    expect(all.every(({ completed }) => completed)).toBe(true)
    expect(await collect(client.status$)).toEqual([{ _tag: 'Closed' }])
    expect(isVirtualTime()).toBe(false)
  })
})
