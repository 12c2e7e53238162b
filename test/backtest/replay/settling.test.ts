import fc from 'fast-check'
import { asyncScheduler, concatMap, from, map, merge, mergeMap, of, tap, timer, type Observable } from 'rxjs'
import type { Client } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { caseCount } from '../../support/run/long.js'
import { chunked } from '../recording/support/bytes.js'
import {
  chunksOf,
  collect,
  header,
  other,
  priceRow,
  prices$,
  recordingText,
  summary$,
  topic,
} from '../recording/support/recordings.js'

const ticks = process as { _tickCallback?: (() => void) | undefined }
const { _tickCallback: runTicks } = ticks

afterEach(() => {
  ticks._tickCallback = runTicks
})

/** Of several turns of the event loop. */
const rowCount = 1600

const text = recordingText(
  header,
  ...Array.from({ length: rowCount }, (_, n) =>
    priceRow(Math.floor(n / 3) * 5, n + 1, n % 7 === 0 ? other : topic),
  ),
)

/** What a strategy may do with a price, without ticks: on Node they precede promises, as for a live price. */
type Work = (onDone: () => void) => void

const chain = async (links: number): Promise<void> => {
  for (let link = 0; link < links; link++) await Promise.resolve()
}

const works = fc.oneof(
  fc.constant<Work>(() => undefined),
  fc.integer({ min: 1, max: 30 }).map(
    (links): Work =>
      (onDone) =>
        void chain(links).then(onDone),
  ),
  fc.constant<Work>((onDone) => queueMicrotask(onDone)),
  fc.nat(12).map(
    (ms): Work =>
      (onDone) =>
        void timer(ms).subscribe(onDone),
  ),
  fc.constant<Work>(
    (onDone) =>
      void from(chain(2))
        .pipe(concatMap(() => of(1)))
        .subscribe(onDone),
  ),
)

/** Runs each price through the work of its place, and logs what is done, when, and after which price. */
const working =
  (plan: readonly Work[], every: number) =>
  (client: Client): Observable<string> => {
    const log: string[] = []
    let latest = -1
    // Made before the first row, and resolved by rows: with a promise, no promise is made then.
    const early = Array.from({ length: rowCount }, (_, n) => {
      let resolve: (value: Promise<void>) => void = () => undefined
      void new Promise<void>((each) => (resolve = each)).then(() => log.push(`${n} early after ${latest}`))
      return resolve
    })
    const settled = Promise.resolve()
    const worked$ = merge(prices$(client), prices$(client, other)).pipe(
      tap((usd) => {
        latest = usd
        if (usd % every !== 0) return
        if (usd % 2 === 0) early[usd - 1]?.(settled)
        plan[usd % plan.length]?.(() => log.push(`${usd} done after ${latest}`))
      }),
      map((usd) => `${usd} at ${asyncScheduler.now()}`),
      mergeMap((each, index) => (index % every === 1 ? chain(2).then(() => each) : of(each))),
    )
    return worked$.pipe(map((each) => [...log.splice(0), each].join()))
  }

/** Runs a program whose uncaught exceptions are collected instead. */
const withUncaught = async (run: () => Promise<unknown>): Promise<readonly unknown[]> => {
  const thrown: unknown[] = []
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (each) => thrown.push(each))
  await run()
  process.removeAllListeners('uncaughtException')
  for (const listener of listeners) process.on('uncaughtException', listener)
  return thrown
}

const run = (lengths: readonly number[], strategy$: (client: Client) => Observable<string>) =>
  collect(replay(chunksOf(...chunked(Buffer.from(text), lengths)), { speed: Infinity }).run$(strategy$))

describe('a replay on Node', () => {
  it('emits the same events, in the same order, as on a runtime that cannot settle promises at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(works, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(1, 2, 7, 100),
        fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 6 }),
        async (plan, every, lengths) => {
          const drain = vi.fn(runTicks)
          ticks._tickCallback = drain
          const fast = await run(lengths, working(plan, every))
          expect(drain.mock.calls.length).toBeGreaterThan(rowCount)
          ticks._tickCallback = undefined
          expect(await run([], working(plan, every))).toEqual(fast)
          expect(fast).toHaveLength(rowCount)
        },
      ),
      { numRuns: caseCount(200) },
    )
  })

  it('goes on after a tick of a strategy that throws, which is an uncaught exception', async () => {
    const errors = [10, 1300].map((usd) => new Error(String(usd)))
    const emitted: string[] = []
    const throwing = (client: Client): Observable<string> =>
      summary$(client).pipe(
        tap((usd) => {
          const error = errors.find(({ message }) => message === usd)
          if (error !== undefined)
            process.nextTick(() => {
              throw error
            })
        }),
      )
    const thrown = await withUncaught(async () => emitted.push(...(await run([], throwing))))
    expect(thrown).toEqual(errors)
    expect(emitted).toHaveLength(rowCount - Math.ceil(rowCount / 7))
  })
})
