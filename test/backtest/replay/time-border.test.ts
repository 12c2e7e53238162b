import { isRight } from 'fp-ts/lib/Either.js'
import {
  asapScheduler,
  asyncScheduler,
  auditTime,
  concat,
  concatMap,
  defer,
  delay,
  firstValueFrom,
  last,
  map,
  merge,
  observeOn,
  queueScheduler,
  repeat,
  switchMap,
  take,
  throttleTime,
  timer,
  toArray,
  type Observable,
} from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { createClient, type Client, type Price } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it, vi } from 'vitest'
import { deferred } from '../../../src/base/task/deferred.js'
import { currentClock, isVirtualTime } from '../../../src/base/time/clock.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { startServiceThread } from '../../support/network/service-thread.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'
import { currentDelegates, unusedDelegates } from '../../support/time/unused-delegates.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import {
  chunksOf,
  collect,
  header,
  priceRow,
  prices$,
  recordingText,
  start,
  topic,
} from '../recording/support/recordings.js'

// Where the time of a recording ends: who is called in it, and what everything else in the process notices of it.

const unhandled = collectUnhandledErrors()

const rows = [priceRow(10, 1), priceRow(20, 2), priceRow(30, 3)]

const replayOf = () => replay(chunksOf(recordingText(header, ...rows)), { speed: Infinity })

const all = [1, 2, 3]

/** Whether time is virtual, and the year that the clock of a client created now shows. */
const timeNow = () => ({
  isVirtual: isVirtualTime(),
  year: new Date(currentClock().wallClock()).getUTCFullYear(),
})

const realTime = { isVirtual: false, year: new Date().getUTCFullYear() }

describe('the subscriber of run$', () => {
  it.each<[string, (run$: Observable<number>) => Observable<number>]>([
    ['delay', (run$) => run$.pipe(delay(5))],
    ['auditTime', (run$) => run$.pipe(auditTime(5))],
    ['a trailing throttleTime', (run$) => run$.pipe(throttleTime(5, asyncScheduler, { trailing: true }))],
    ['concatMap to timers', (run$) => run$.pipe(concatMap((value) => timer(2).pipe(map(() => value))))],
    ['switchMap to timers', (run$) => run$.pipe(switchMap((value) => timer(2).pipe(map(() => value))))],
    ['observeOn(asapScheduler)', (run$) => run$.pipe(observeOn(asapScheduler))],
    ['observeOn(queueScheduler)', (run$) => run$.pipe(observeOn(queueScheduler))],
  ])('gets the last value and the completion behind %s', async (_, after) => {
    expect((await collect(after(replayOf().run$((client) => prices$(client))))).at(-1)).toBe(3)
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('is called in real time: with each value, with the completion, and with an error', async () => {
    const times: unknown[] = []
    const note = () => times.push(timeNow())
    const completed = new Promise<void>((resolve) => {
      replayOf()
        .run$((client) => prices$(client))
        .subscribe({ next: note, complete: () => resolve(void note()) })
    })
    await completed
    const failed = new Promise<void>((resolve) => {
      const fail = (): never => {
        throw new Error('mine')
      }
      replayOf()
        .run$((client) => prices$(client).pipe(map(fail)))
        .subscribe({ error: () => resolve(void note()) })
    })
    await failed
    expect(times).toEqual(Array.from({ length: 5 }, () => realTime))
  })

  it('is called in virtual time if it is a strategy of another replay', async () => {
    const times = replayOf().run$((client) =>
      prices$(client).pipe(
        take(1),
        switchMap(() => replayOf().run$((inner) => prices$(inner))),
        map(() => asyncScheduler.now() - start),
        take(1),
      ),
    )
    expect(await firstValueFrom(merge(times, timer(1000)))).toBeLessThanOrEqual(30)
  })

  it('is called in real time once the replay of its own strategy has ended', async () => {
    const seen: unknown[] = []
    // More rows than the replay of the strategy plays in one turn.
    const count = 1000
    const many = Array.from({ length: count }, (_, n) => priceRow(n, n + 1))
    const inner = replay(chunksOf(recordingText(header, ...many)), { speed: Infinity })
    const outer$ = replayOf().run$((client) => {
      inner
        .run$((inside) => prices$(inside))
        .pipe(observeOn(asapScheduler))
        .subscribe((usd) => seen.push(usd === count ? timeNow() : usd))
      return prices$(client)
    })
    expect(await collect(outer$)).toEqual(all)
    await eventually(() => seen.length === count)
    expect(seen.at(-1)).toEqual(realTime)
  })

  it('may use a live client afterwards, whose time is real', async () => {
    const service = closeAfterTest(await startServiceThread({ tick: 300 }))
    const live$ = defer(() => {
      const client = closeAfterTest(
        createClient({ environment: 'mainnet', ...service.addresses, staleAfter: 50 }),
      )
      return client.price$('svc-0x1')
    })
    const backtest$ = replayOf().run$((client) => prices$(client))
    const before = Date.now()
    const [first] = await collect(
      backtest$.pipe(
        last(),
        switchMap(() => live$),
        take(1),
      ),
    )
    expect(first !== undefined && isRight(first) && first.right.receivedAt).toBeGreaterThanOrEqual(before)

    const events: string[] = []
    const subscription = concat(backtest$, live$).subscribe((event) => {
      if (typeof event !== 'number') events.push(isRight(event) ? 'price' : event.left._tag)
    })
    await eventually(() => events.includes('price'))
    // A timer of the client has to fire for this.
    await eventually(() => events.includes('Stale'))
    subscription.unsubscribe()
  })
})

describe('everything else in the process', () => {
  it('does not wait for a row of a replay: a pending action of asapScheduler runs in real time', async () => {
    const ran: unknown[] = []
    const { promise: gate, resolve: open } = deferred<undefined>()
    const source = {
      async *[Symbol.asyncIterator]() {
        yield recordingText(header, priceRow(10, 1))
        await gate
        yield recordingText(priceRow(20, 2))
      },
    }
    const run = collect(
      replay(source, { speed: Infinity }).run$((client) => prices$(client).pipe(observeOn(asapScheduler))),
    )
    await nextTurn()
    asapScheduler.schedule(() => ran.push(timeNow()))
    await eventually(() => ran.length === 1)
    expect(ran).toEqual([realTime])
    open(undefined)
    expect(await run).toEqual([1, 2])
  })

  it('does not run the actions of a strategy: those of a row run in its time', async () => {
    const times: number[] = []
    asapScheduler.schedule(() => undefined)
    const run = collect(
      replayOf().run$((client) => {
        asapScheduler.schedule(() => times.push(asyncScheduler.now() - start))
        return prices$(client).pipe(
          observeOn(asapScheduler),
          map(() => times.push(asyncScheduler.now() - start)),
        )
      }),
    )
    const busy = (): void => void asapScheduler.schedule(() => times.length < 4 && setTimeout(busy))
    busy()
    await run
    expect(times).toEqual([0, 10, 20, 30])
  })

  it('two replays at once emit all their values, each in its own time', async () => {
    const later = replay(
      chunksOf(recordingText({ ...header, at: start + 1000 }, ...all.map((n) => priceRow(1000 + n, n)))),
      { speed: Infinity },
    )
    const timed = (client: Client) =>
      prices$(client).pipe(
        observeOn(asapScheduler),
        map((usd) => [usd, asyncScheduler.now() - start]),
      )
    const results = await Promise.all([collect(replayOf().run$(timed)), collect(later.run$(timed))])
    expect(results).toEqual([
      [
        [1, 10],
        [2, 20],
        [3, 30],
      ],
      [
        [1, 1001],
        [2, 1002],
        [3, 1003],
      ],
    ])
  })

  it('a TestScheduler beside a waiting replay runs its own actions', async () => {
    const run = collect(
      replayOf().run$((client) =>
        prices$(client).pipe(observeOn(asapScheduler), delay(5), observeOn(asapScheduler)),
      ),
    )
    await nextTurn()
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
      ({ cold, expectObservable }) => {
        expectObservable(cold('a-b|').pipe(observeOn(asapScheduler), delay(1))).toBe('-a-(b|)')
      },
    )
    expect(await run).toEqual(all)
  })

  it('unsubscribes from actions of a strategy that are pending, and the others still run', async () => {
    const client = replayOf()
    const ran: string[] = []
    const cancelled = client
      .price$(topic)
      .pipe(observeOn(asapScheduler))
      .subscribe(() => ran.push('cancelled'))
    client
      .price$(topic)
      .pipe(observeOn(asapScheduler))
      .subscribe(() => ran.push('other'))
    await collect(client.run$((inside) => prices$(inside)).pipe(map(() => cancelled.unsubscribe())))
    expect(ran).toEqual(['other', 'other', 'other'])
    expect(unhandled).toEqual([])
  })
})

describe('the time of a strategy', () => {
  it('ends a loop of timers of 0 ms: each takes 1 ms', async () => {
    const ticks = await collect(
      replayOf().run$(() =>
        timer(0).pipe(
          repeat({ delay: 0 }),
          map(() => asyncScheduler.now() - start),
        ),
      ),
    )
    expect(ticks.slice(0, 3)).toEqual([1, 3, 5])
    expect(ticks.length).toBeGreaterThan(10)
  })

  it('does not affect a second strategy of the replay, whose action throws', async () => {
    const client = replayOf()
    client
      .run$((inside) => {
        inside.price$(topic).subscribe(() => {
          asapScheduler.schedule(() => {
            throw new Error('mine')
          })
        })
        return prices$(inside)
      })
      .subscribe()
    expect(await collect(client.run$((inside) => prices$(inside).pipe(observeOn(asapScheduler))))).toEqual(
      all,
    )
    await vi.waitFor(() => expect(unhandled).toHaveLength(3))
  })
})

describe('a pipeline that ends with a test client', () => {
  it('gives the same values as in a replay', async () => {
    const strategy = (client: Client) => prices$(client).pipe(auditTime(15), toArray())
    const live: Observable<Price>[] = []
    let expected: readonly number[] = []
    new TestScheduler(() => undefined).run(({ hot, flush }) => {
      const values = { a: 1, b: 2, c: 3 }
      const stream$ = hot('---------- a 9ms b 9ms (c|)', values).pipe(
        map((usd) => ({ topic, price: usd, receivedAt: 0, epoch: 1 })),
      )
      live.push(stream$)
      strategy(createTestClient({ prices: { [topic]: stream$ } })).subscribe((each) => (expected = each))
      flush()
    })
    expect(await collect(replayOf().run$(strategy))).toEqual([expected])
  })
})
