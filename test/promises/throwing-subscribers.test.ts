import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { finalize, map, Observable, of, Subject, take, UnsubscriptionError, type Subscriber } from 'rxjs'
import type { Price, PriceError } from 'svc-streams'
import { candles, combineFresh, conflate, freshWithin, iterate, withPast } from 'svc-streams/operators'
import { priceStore } from 'svc-streams/store'
import { createTestClient, depth, disconnected, price } from 'svc-streams/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic as topic, weth as mint } from '../support/tokens.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'

// A subscriber that throws on the event that it receives inside of `subscribe`, and whose teardown throws too, is no subscriber
// afterwards.

collectUnhandledErrors()
// RxJS reports an exception in a timer of its own, which fires before this one.
afterEach(() => new Promise((resolve) => void setTimeout(resolve, 1)))

const fail = (): never => {
  throw new Error('fails')
}

/** The end of the first throws after the subscription, that of the others inside of it. */
const pipelines: readonly ((source$: Observable<unknown>) => Observable<unknown>)[] = [
  (source$) => source$.pipe(map(fail), finalize(fail)),
  (source$) =>
    new Observable((subscriber) => {
      subscriber.add(fail)
      source$.pipe(map(fail)).subscribe(subscriber)
    }),
  (source$) =>
    new Observable((subscriber) => {
      subscriber.add(fail)
      source$.pipe(take(1)).subscribe(subscriber)
    }),
]

const subscribeThrowing = (source$: Observable<unknown>): void => {
  for (const pipeline of pipelines) {
    try {
      pipeline(source$).subscribe({ error: () => undefined })
    } catch (thrown) {
      // RxJS throws what a teardown has thrown.
      expect(thrown).toBeInstanceOf(UnsubscriptionError)
    }
  }
}

/** An observable that emits inside of `subscribe`, and its subscribers. */
const countedSource = <A>(...values: readonly A[]) => {
  const subscribers = new Set<Subscriber<A>>()
  const source$ = new Observable<A>((subscriber) => {
    subscribers.add(subscriber)
    subscriber.add(() => subscribers.delete(subscriber))
    for (const value of values) subscriber.next(value)
  })
  return { source$, subscribers }
}

describe('a subscriber that throws on its first event, and in its teardown', () => {
  it('leaves the topic and the poll of a client, after a price, a depth and a failure', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { linger: 1 })
    const { status$ } = client
    const prices = collectEvents(client.price$(topic))
    const depths = collectEvents(client.depth$(mint, 60_000))
    await eventually(() => prices.events.length > 0 && depths.events.length > 0)
    for (const stream$ of [client.price$(topic), client.depth$(mint, 60_000), status$])
      subscribeThrowing(stream$)
    expect(client.inspect()).toMatchObject({ topics: [{ subscribers: 1 }], polls: [{ subscribers: 1 }] })
    await simulator.close()
    await eventually(() => expect(prices.tags()).toContain('Disconnected'))
    subscribeThrowing(client.price$(topic))
    expect(client.inspect().topics).toMatchObject([{ subscribers: 1 }])
  })

  it('leaves the streams of a test client', () => {
    const source = countedSource(right(price(topic, 1)))
    const depthSource = countedSource(right(depth(mint)))
    const client = closeAfterTest(
      createTestClient({ prices: { [topic]: source.source$ }, depths: { [mint]: depthSource.source$ } }),
    )
    subscribeThrowing(client.price$(topic))
    subscribeThrowing(client.depth$(mint, 1_000))
    expect(client.inspect()).toMatchObject({ topics: [], polls: [] })
    expect([source.subscribers.size, depthSource.subscribers.size]).toEqual([0, 0])
  })

  const operators: Readonly<
    Record<string, (source$: Observable<Either<PriceError, Price>>) => Observable<unknown>>
  > = {
    candles: (source$) => source$.pipe(candles(1_000)),
    'candles with a past': (source$) => source$.pipe(candles(1_000, { past$: of() })),
    conflate: (source$) => source$.pipe(conflate(1_000)),
    freshWithin: (source$) => source$.pipe(freshWithin(1_000)),
    combineFresh: (source$) => combineFresh({ a: source$, b: source$ }, { maxAge: 1_000 }),
    withPast: (source$) => source$.pipe(withPast(of())),
  }

  it.each(Object.entries(operators))('leaves the source of %s', (_, operator) => {
    // `candles` and `conflate` emit a failure at once, and a price later.
    const { source$, subscribers } = countedSource<Either<PriceError, Price>>(
      left(disconnected({ code: 1006, reason: 'lost', attempt: 1, retryInMs: 1 })),
      right(price(topic, 1)),
    )
    subscribeThrowing(operator(source$))
    expect(subscribers.size).toBe(0)
  })
})

describe('a source whose teardown throws', () => {
  /** Emits the values when `end` is called, then ends. */
  const failingSource = <A>(...values: readonly A[]) => {
    const source$ = new Subject<A>()
    const failing$ = new Observable<A>((subscriber) => {
      subscriber.add(fail)
      source$.subscribe(subscriber)
    })
    const end = (how: 'complete' | 'error'): void => {
      for (const value of values) source$.next(value)
      if (how === 'complete') source$.complete()
      else source$.error('lost')
    }
    return { failing$, end }
  }

  it.each(['complete', 'error'] as const)('ends a loop of iterate by %s', async (how) => {
    const { failing$, end } = failingSource(1)
    const events = iterate(failing$)[Symbol.asyncIterator]()
    const reads = [events.next(), events.next()].map((read) => read.catch((thrown: unknown) => thrown))
    end(how)
    const last = how === 'complete' ? { done: true, value: undefined } : 'lost'
    expect(await Promise.all(reads)).toEqual([{ done: false, value: 1 }, last])
  })

  it.each(['complete', 'error'] as const)(
    'ends the past of withPast by %s, so that live events follow',
    (how) => {
      const { failing$, end } = failingSource<never>()
      const { events } = collectEvents(of(right(price(topic, 1))).pipe(withPast(failing$)))
      end(how)
      const caughtUp = right({ _tag: 'CaughtUp' })
      expect(events.slice(how === 'complete' ? 0 : 1)).toEqual([caughtUp, right(price(topic, 1))])
    },
  )

  it('leaves no current price in a store without a listener', () => {
    const failing$ = new Observable<Either<PriceError, Price>>((subscriber) => {
      subscriber.next(right(price(topic, 1)))
      return fail
    })
    const store = priceStore(failing$)
    const removeListener = store.subscribe(() => undefined)
    expect(store.getSnapshot().state).toBe('live')
    removeListener()
    expect(store.getSnapshot().state).toBe('waiting')
  })
})
