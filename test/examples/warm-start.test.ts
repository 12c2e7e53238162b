import type { Either } from 'fp-ts/lib/Either.js'
import { left } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { warmMomentum$, type CandleMomentum } from '../../examples/strategies/warm-momentum.js'
import { replay } from '../../src/backtest/recording/index.js'
import { createTestClient, disconnected } from '../../src/testing/index.js'
import { marbles, priceAt } from '../support/time/marbles.js'
import { newFile } from '../cli/support/new-file.js'
import { header, priceRow, recordingText, start, topic } from '../backtest/recording/support/recordings.js'

const periods = { ms: 1_000, fastPeriod: 2, slowPeriod: 3 }

/** One price in each of ten seconds: 10, 11, 12 USD and so on. */
const recording = () =>
  newFile(
    'market.ndjson',
    recordingText(header, ...Array.from({ length: 10 }, (_, n) => priceRow(n * 1_000 + 500, 10 + n))),
  )

type Events = readonly Either<unknown, CandleMomentum>[]

/** The momentum over the second half of the recording. */
const secondHalf = (isWarm: boolean): Promise<Events> =>
  lastValueFrom(
    replay(recording(), { from: secondHalfAt, speed: Infinity }).run$((client) =>
      warmMomentum$(client, topic, isWarm ? client.history : undefined, periods).pipe(toArray()),
    ),
  )

/** Whether the averages were known, for each candle that ended after a time. */
const statesOf = (events: Events, after: number) =>
  events.flatMap((event) =>
    event._tag === 'Right' && event.right.at > after ? [event.right.lead === null ? 'waits' : 'trades'] : [],
  )

const secondHalfAt = start + 5_000

describe('warmMomentum$ over the second half of a recording', () => {
  it('waits for its averages without a history', async () => {
    expect(statesOf(await secondHalf(false), secondHalfAt)).toEqual(['waits', 'waits', 'trades', 'trades'])
  })

  it('has its averages from the first candle on with the history', async () => {
    expect(statesOf(await secondHalf(true), secondHalfAt)).toEqual(['trades', 'trades', 'trades', 'trades'])
  })
})

describe('warmMomentum$ whose source is lost', () => {
  it('emits nothing for the candle whose close came before the Left', () => {
    marbles(({ hot$, expectObservable }) => {
      const lost = left(disconnected({ code: 1006, reason: 'cut', attempt: 1, retryInMs: 100 }))
      const values = { L: lost, ...Object.fromEntries([1, 2, 3].map((n) => [n, priceAt(n, topic, n)])) }
      const price$ = hot$('1---2-L--------3----', values)
      const expected = '   ----x-L---------y'
      const client = createTestClient({ prices: { [topic]: price$ } })
      const kind$ = warmMomentum$(client, topic, undefined, { ...periods, ms: 4 }).pipe(
        map(({ _tag }) => _tag),
      )
      expectObservable(kind$, '------------------!').toBe(expected, { x: 'Right', L: 'Left', y: 'Right' })
    })
  })
})
