import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { asyncScheduler, delay, lastValueFrom, map, merge, Subject, toArray, type Observable } from 'rxjs'
import type { Price } from 'svc-streams'
import { candles, snapshots, type Candle, type Snapshot } from 'svc-streams/operators'
import { price } from 'svc-streams/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Row } from '../../src/backtest/recording/codec/row.js'
import {
  down,
  errorRow,
  priceRow,
  replayAtOnce,
  start,
  topic,
} from '../backtest/recording/support/recordings.js'
import { marbles } from '../support/time/marbles.js'

// A multiple belongs to the values that were received before it, also if they are handled in its millisecond.

type Event = Either<unknown, Price>

/** The results of both operators, as `close@to` of a candle and `value@at` of a snapshot. */
const result$ = (source$: Observable<Event>, ms: number): Observable<string> =>
  merge(
    source$.pipe(
      candles(ms),
      map((event: Either<unknown, Candle>) =>
        isLeft(event) ? 'candle L' : `candle ${event.right.close}@${event.right.to % 10_000}`,
      ),
    ),
    source$.pipe(
      snapshots(ms),
      map((event: Either<unknown, Snapshot<Price>>) =>
        isLeft(event) ? 'snapshot L' : `snapshot ${event.right.value.price}@${event.right.at % 10_000}`,
      ),
    ),
  )

const received = (receivedAt: number, usd: number): Either<never, Price> =>
  right(price(topic, usd, { receivedAt }))

describe('under marbles, the result of a multiple', () => {
  const values = {
    a: received(2, 1),
    b: received(9, 2),
    c: received(10, 3),
    L: left('L'),
  }
  const results = {
    x: 'candle 1@10',
    y: 'snapshot 1@10',
    v: 'candle 2@10',
    w: 'snapshot 2@10',
    z: 'candle L',
  }

  it.each(
    Object.entries({
      'contains a value that was received before it and emitted in its millisecond': {
        source: '    --a-------b-',
        subscribed: '^----------!',
        expected: '  ----------(vw)',
      },
      'leaves out a value of its own millisecond': {
        source: '    --a-------c-',
        subscribed: '^----------!',
        expected: '  ----------(xy)',
      },
      'leaves out a Left of its own millisecond': {
        source: '    --a-------L-',
        subscribed: '^----------!',
        expected: '  ----------(xzy)',
      },
    }),
  )('%s', (_, { source, subscribed, expected }) => {
    marbles(({ hot$, expectObservable }) => {
      expectObservable(result$(hot$(source, values), 10), subscribed).toBe(expected, results)
    })
  })

  it('contains a value that a timer delays into its millisecond, whichever timer was started first', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('--a------b', values)
      const subscribed = '  ^----------!'
      const expected = '    ----------(vw)'
      expectObservable(result$(source$.pipe(delay(1)), 10), subscribed).toBe(expected, results)
    })
  })
})

describe('in real time, the result of a multiple', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('comes after the events of its millisecond', () => {
    const source$ = new Subject<Event>()
    const results: string[] = []
    const subscription = result$(source$, 100).subscribe((text) => results.push(text))
    source$.next(received(1_000, 1))
    vi.advanceTimersByTime(100)
    source$.next(received(1_099, 2))
    expect(results).toEqual([])
    vi.advanceTimersByTime(1)
    expect(results).toEqual(['candle 2@1100', 'snapshot 2@1100'])
    subscription.unsubscribe()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('in a replay, the result of a multiple', () => {
  /** Written `late` ms after the receipt. */
  const lateRow = (ms: number, late: number, usd: number): Row => ({
    ...priceRow(ms, usd),
    at: start + ms + late,
  })
  const base = start % 10_000

  const played = (...rows: readonly Row[]): Promise<readonly string[]> =>
    lastValueFrom(
      replayAtOnce(...rows, priceRow(300, 9)).run$((client) =>
        result$(client.price$(topic), 100).pipe(toArray()),
      ),
    )

  it.each([1, 30])('contains a price that was received %i ms before the row was written', async (late) => {
    const rows = [priceRow(110, 1), lateRow(200 - late, late, 2)]
    expect(await played(...rows)).toEqual([
      `candle 2@${base + 200}`,
      `snapshot 2@${base + 200}`,
      `snapshot 2@${base + 300}`,
    ])
  })

  it('contains it also if it is the first price of the time before', async () => {
    expect(await played(lateRow(199, 1, 2))).toEqual([
      `candle 2@${base + 200}`,
      `snapshot 2@${base + 200}`,
      `snapshot 2@${base + 300}`,
    ])
  })

  it('leaves out the price and the Left of its own millisecond', async () => {
    expect(await played(priceRow(110, 1), priceRow(200, 2))).toEqual([
      `candle 1@${base + 200}`,
      `snapshot 1@${base + 200}`,
      `candle 2@${base + 300}`,
      `snapshot 2@${base + 300}`,
    ])
    expect(await played(priceRow(110, 1), errorRow(200, down))).toEqual([
      `candle 1@${base + 200}`,
      'candle L',
      `snapshot 1@${base + 200}`,
      'snapshot L',
    ])
  })

  it('is emitted 1 ms after the multiple, as in real time', async () => {
    const times = await lastValueFrom(
      replayAtOnce(priceRow(110, 1), priceRow(290, 2), priceRow(450, 3)).run$((client) =>
        client.price$(topic).pipe(
          candles(100),
          map(() => asyncScheduler.now() - start),
          toArray(),
        ),
      ),
    )
    expect(times).toEqual([201, 301])
  })
})
