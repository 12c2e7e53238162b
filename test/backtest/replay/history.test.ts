import { isRight } from 'fp-ts/lib/Either.js'
import { concatMap, filter, map, of, switchMap, take, takeWhile, timer, toArray, type Observable } from 'rxjs'
import { candles, rights, withPast } from 'svc-streams/operators'
import { replay, type ReplayOptions, type StrategyClient } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import {
  chunksOf,
  collect,
  header,
  priceRow,
  recordingText,
  start,
  topic,
} from '../recording/support/recordings.js'

/** A price every 30 s, for ten minutes: the number of the row, from 0. */
const rows = Array.from({ length: 20 }, (_, index) => priceRow(index * 30_000, index + 1))
const text = recordingText(header, ...rows)

const replayAtOnce = (options: ReplayOptions = {}) => replay(chunksOf(text), { speed: Infinity, ...options })

/** The prices before now, and how long reading them took, in ms. */
const past$ = ({ history }: StrategyClient, from = start): Observable<readonly number[]> => {
  const startedAt = rxClock.wallClock()
  return history.prices$(topic, { from }).pipe(
    rights(),
    map((event) => (event._tag === 'PastPrice' ? event.price : NaN)),
    toArray(),
    map((prices) => [...prices, rxClock.wallClock() - startedAt]),
  )
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('the history of a replay', () => {
  it.each([
    ['a timer', 145_000, 5],
    ['a timer at the time of a row', 150_000, 5],
    ['a timer just after it', 150_001, 6],
  ])(
    'has the rows before the current time after %s, which does not go on meanwhile',
    async (_, ms, count) => {
      const result$ = replayAtOnce().run$((client) => timer(ms).pipe(switchMap(() => past$(client))))
      expect(await collect(result$)).toEqual([[...upTo(count), 0]])
    },
  )

  it('has the rows before each row, and no row comes while it is read', async () => {
    const results$ = replayAtOnce().run$((client) =>
      client.price$(topic).pipe(
        rights(),
        concatMap(({ price }) => past$(client).pipe(map((past) => [price, ...past]))),
      ),
    )
    expect(await collect(results$)).toEqual(rows.map((_, index) => [index + 1, ...upTo(index), 0]))
  })

  it('has no row of the future if the clock of the recorder is set back later', async () => {
    const at = start + 20_000
    const next = { ...header, at }
    const before = [0, 10_000, 20_000, 30_000].map((ms, index) => priceRow(ms, index + 1))
    const after = [20_000, 25_000, 30_000].map((ms, index) => priceRow(ms, index + 5))
    const results$ = replay(chunksOf(recordingText(header, ...before) + recordingText(next, ...after)), {
      speed: Infinity,
    }).run$((client) =>
      client.price$(topic).pipe(
        rights(),
        concatMap(({ price }) => past$(client).pipe(map((past) => [price, ...past.slice(0, -1)]))),
      ),
    )
    expect(await collect(results$)).toEqual([
      ...[[1], [2, 1], [3, 1, 2], [4, 1, 2, 3], [5, 1, 2], [6, 1, 2, 3, 5], [7, 1, 2, 3, 5, 6]],
    ])
  })

  it('is empty at the start, and has no row of the future for any `to`', async () => {
    const range = { from: start, to: start + 600_000 }
    const atStart$ = replayAtOnce().run$(({ history }) => history.prices$(topic, range))
    expect(await collect(atStart$)).toEqual([])
    const later$ = replayAtOnce().run$(({ history }) =>
      timer(100_000).pipe(switchMap(() => history.prices$(topic, range).pipe(toArray()))),
    )
    const [events = []] = await collect(later$)
    expect(events).toHaveLength(4)
    expect(await collect(replayAtOnce().history.prices$(topic, { from: start + 1 }))).toMatchObject([
      { left: { _tag: 'InvalidRange' } },
    ])
  })

  it('has the rows before the part that is played', async () => {
    const result$ = replayAtOnce({ from: start + 120_000, to: start + 200_000 }).run$((client) =>
      past$(client),
    )
    expect(await collect(result$)).toEqual([[...upTo(4), 0]])
  })

  it('has the topics and the times until now', async () => {
    const result$ = replayAtOnce().run$(({ history }) =>
      timer(100_000).pipe(concatMap(() => history.topics()())),
    )
    const covered = { from: start, to: start + 100_000 }
    expect(await collect(result$)).toEqual([
      {
        _tag: 'Right',
        right: [{ topic, ...covered }],
      },
    ])
  })

  it('gives a late strategy the candles of the whole', async () => {
    const whole$ = replayAtOnce().run$((client) => client.price$(topic).pipe(candles(60_000)))
    const late$ = replayAtOnce().run$((client) =>
      timer(290_000).pipe(
        switchMap(() =>
          client
            .price$(topic)
            .pipe(candles(60_000, { past$: client.history.prices$(topic, { from: start }) })),
        ),
      ),
    )
    const [whole, late] = [await collect(whole$), await collect(late$)]
    expect(whole.filter(isRight)).toHaveLength(9)
    expect(late).toEqual(whole)
  })

  it('is followed by the live prices, each once', async () => {
    const joined$ = replayAtOnce().run$((client) =>
      timer(290_000).pipe(
        switchMap(() => client.price$(topic).pipe(withPast(client.history.prices$(topic, { from: start })))),
        rights(),
        filter((event) => !('_tag' in event) || event._tag !== 'Gap'),
        map((event) => ('price' in event ? event.price : event._tag)),
      ),
    )
    expect(await collect(joined$)).toEqual([...upTo(10), 'CaughtUp', ...upTo(20).slice(10)])
  })

  it('is read to its end if the recording ends meanwhile', async () => {
    const result$ = replayAtOnce().run$((client) =>
      client.price$(topic).pipe(
        filter((event) => isRight(event) && event.right.price === 20),
        concatMap(() => past$(client)),
      ),
    )
    expect(await collect(result$)).toEqual([[...upTo(19), 0]])
  })

  it('does not keep a replay that ends earlier', async () => {
    const client = replayAtOnce()
    const strategy$ = (inner: StrategyClient) =>
      of(1).pipe(
        concatMap(() => past$(inner)),
        take(1),
      )
    expect(await collect(client.run$(strategy$))).toHaveLength(1)
    const closed = replayAtOnce()
    const finished = collect(closed.run$((inner) => inner.price$(topic).pipe(switchMap(() => past$(inner)))))
    await closed.close()
    expect(await finished).toEqual([])
  })

  it('works at a finite speed, and outside of run$', async () => {
    const client = replay(chunksOf(text), { speed: 1e6 })
    const seen$ = client.price$(topic).pipe(
      rights(),
      takeWhile(({ price }) => price < 10, true),
      filter(({ price }) => price === 10),
      concatMap(() => past$(client)),
      map((past) => past.slice(0, -1)),
    )
    expect(await collect(seen$)).toEqual([upTo(9)])
    await client.close()
  })

  it('is a RecordingError over a source that can be read only once', async () => {
    function* once(): Generator<string> {
      yield text
    }
    const result$ = replay(once(), { speed: Infinity }).run$(({ history }) =>
      timer(100_000).pipe(switchMap(() => history.prices$(topic, { from: start }))),
    )
    expect(await collect(result$)).toMatchObject([{ left: { _tag: 'RecordingError' } }])
  })
})
