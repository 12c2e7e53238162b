import fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import { asyncScheduler, interval, map, merge, NEVER, tap, timer } from 'rxjs'
import { replay, type ReplayClient } from 'svc-streams/recording'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Timeline } from '../../../src/backtest/recording/codec/timeline.js'
import { isRecordedTime } from '../../../src/backtest/recording/codec/times.js'
import { caseCount } from '../../support/run/long.js'
import { nextTurn } from '../../support/time/event-loop.js'
import {
  chunksOf,
  collect,
  header,
  priceRow,
  recordingText,
  start,
  prices$,
  summary$,
  topic,
} from '../recording/support/recordings.js'
import { playedRows } from '../recording/support/rows.js'

const day = 24 * 3_600_000
const year = 365 * day

/** A recording whose header has the first time. The price of each row is its number. */
const textAt = ([headerAt = start, ...times]: readonly number[]): string =>
  recordingText({ ...header, at: headerAt }, ...times.map((at, n) => ({ ...priceRow(0, n + 1), at })))

const replayAt = (times: readonly number[], speed: number): ReplayClient =>
  replay(chunksOf(textAt(times)), { speed })

const after = (...distances: readonly number[]): readonly number[] => distances.map((ms) => start + ms)

describe.each([1, 1000, Infinity])('a recording with a wrong time, at speed %s,', (speed) => {
  it.each<[string, readonly number[]]>([
    ['first row is 55 years early', after(0, -55 * year, 5, 9)],
    ['middle row is 55 years early', after(0, 5, -55 * year, 9)],
    ['last row is 55 years early', after(0, 5, 9, -55 * year)],
    ['rows are all 55 years early', after(0, ...[1, 2, 3].map((ms) => ms - 55 * year))],
    ['header is 250 years late', after(250 * year, 0, 5, 9)],
    ['rows descend', after(0, 3, 2, 1)],
    ['first row is 250 years late', after(0, 250 * year, 5, 9)],
    ['header is 55 years early', after(-55 * year, 0, 5, 9)],
    ['time of the header is unknown', [0, ...after(0, 5, 9)]],
    ['middle row is at the earliest time of a Date', [...after(0, 5), -8.64e15, start + 9]],
    ['times are all in the year 5138', [99e12, 99e12, 99e12, 99e12]],
  ])('is replayed to its end if the %s', async (_, times) => {
    const client = replayAt(times, speed)
    expect(await collect(client.run$(summary$))).toEqual(['1', '2', '3'])
    expect(await client.finished).toEqual(playedRows(3))
  })

  it.each<[string, readonly number[], number]>([
    ['middle row is 250 years late', after(0, 5, 250 * year, 9), 3],
    ['last row is 366 days late', after(0, 5, 9, 366 * day), 4],
    ['second row is a ms too late', after(0, 5, 6 + year), 3],
    ['time is beyond that of a Date', [...after(0, 5), 8.64e15 + 2, start + 9], 3],
    ['middle row is in microseconds', [...after(0, 5), start * 1000, start + 9], 3],
    ['middle row is in seconds', [...after(0, 5), start / 1000, start + 9], 3],
    ['time is huge', [...after(0, 5), 1e300, start + 9], 3],
    ['time is hugely negative', [...after(0, 5), -1e300, start + 9], 3],
    ['time is not a number', [...after(0, 5), NaN, start + 9], 3],
    ['time is infinite', [...after(0, 5), Infinity, start + 9], 3],
    ['time of the header is infinite', [-Infinity, start], 1],
  ])('is replayed up to that line if its %s', async (_, times, line) => {
    const client = replayAt(times, speed)
    const events = await collect(client.run$((inside) => merge(summary$(inside), NEVER)))
    expect(events).toEqual([...times.slice(2, line).map((_each, n) => String(n + 1)), 'DecodeError'])
    expect(await client.finished).toMatchObject({
      left: { _tag: 'RecordingError', line, issues: [{ path: expect.stringMatching(/\bat$/) as string }] },
    })
  })

  it.each([-year, 2 * year])('accepts a recording that was appended and is %s ms later', async (ms) => {
    const text = textAt(after(0, 5, 9)) + textAt(after(ms, ms + 5, ms + 9))
    expect(await collect(prices$(replay(chunksOf(text), { speed })))).toEqual([1, 2, 1, 2])
  })
})

describe('the error of a row that is too late', () => {
  it('names the line, both limits, and the time', async () => {
    const client = replayAt(after(0, 5, 2 * year), Infinity)
    client.price$(topic).subscribe()
    expect(await client.finished).toMatchObject({
      left: {
        message: `line 3 of the recording: at: expected a time at most 365 days after that of the previous row, got ${start + 2 * year}`,
      },
    })
  })
})

describe('the time of a strategy', () => {
  it('is that of the rows, and does not go back to one that is too early', async () => {
    const client = replayAt(after(0, 100, 200, -55 * year, 300), Infinity)
    const times = await collect(
      client.run$((inside) => summary$(inside).pipe(map(() => asyncScheduler.now()))),
    )
    expect(times).toEqual(after(100, 200, 200, 300))
  })

  it('is that of the rows, with few timers, if that of the header is unknown', async () => {
    const client = replayAt([0, ...after(0, 1000, 2000)], Infinity)
    const seen = await collect(
      client.run$((inside) =>
        merge(
          summary$(inside),
          interval(500).pipe(map(() => 'tick')),
          timer(700).pipe(map(() => 'timer')),
        ).pipe(map((event) => `${asyncScheduler.now() - start} ${event}`)),
      ),
    )
    expect(seen).toEqual([
      ...['0 1', '500 tick', '700 timer', '1000 tick', '1000 2'],
      ...['1500 tick', '2000 tick', '2000 3', '2500 tick'],
    ])
  })

  it('goes on after the clock of the recording was set back', async () => {
    const client = replayAt(after(0, 100, -900, -800, -700), Infinity)
    const seen = await collect(
      client.run$((inside) =>
        merge(summary$(inside), interval(100).pipe(map(() => 'tick'))).pipe(
          map((event) => `${asyncScheduler.now() - start} ${event}`),
        ),
      ),
    )
    expect(seen).toEqual(['100 tick', '100 1', '100 2', '200 tick', '200 3', '300 tick', '300 4', '400 tick'])
  })
})

/** Times near each other, and any others. */
const recordedTime = fc.oneof(
  fc.integer({ min: start, max: start + 1000 }),
  fc.integer({ min: start - 2 * year, max: start + 2 * year }),
  fc.double(),
  fc.constantFrom(0, -0, start + year, -8.64e15, 99e12, start / 1000, start * 1000, 0.5),
)

const recordedTimes = fc.array(recordedTime, { minLength: 1, maxLength: 20 })

interface Expected {
  /** From the header to the last line that is replayed, without the time that is skipped, in ms. */
  readonly distance: number
  /** The number of rows that are replayed. */
  readonly rows: number
  readonly isDamaged: boolean
}

const expectedOf = (times: readonly number[]): Expected => {
  const timeline = new Timeline()
  let [distance, rows] = [0, -1]
  let last: number | undefined
  for (const [index, at] of times.entries()) {
    const next = isRecordedTime(at) ? timeline.next(at, index === 0) : undefined
    if (next === undefined) return { distance, rows: Math.max(0, rows), isDamaged: true }
    distance += next.time - (last ?? next.time) - next.skipped
    last = next.time
    rows++
  }
  return { distance, rows, isDamaged: false }
}

/** The longest timer of Node, in ms. A longer wait consists of several timers. */
const maxTimer = 2 ** 31 - 1

describe('a recording with any times', () => {
  afterEach(() => void vi.useRealTimers())

  it('is replayed at its speed, with few timers', async () => {
    await fc.assert(
      fc.asyncProperty(recordedTimes, fc.constantFrom(1, 3, 1e6), async (times, speed) => {
        vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] })
        const startedAt = performance.now()
        const client = replayAt(times, speed)
        const events = collect(merge(summary$(client)))
        const state = { isFinished: false }
        void client.finished.then(() => (state.isFinished = true))
        let timers = 0
        const { distance, rows, isDamaged } = expectedOf(times)
        // A timer fires up to a ms too early, so that another one follows.
        const maxTimers = 3 * rows + distance / speed / maxTimer
        for (;;) {
          await nextTurn()
          if (state.isFinished) break
          if (vi.getTimerCount() === 0) continue
          expect(++timers).toBeLessThanOrEqual(maxTimers)
          vi.advanceTimersToNextTimer()
        }
        const result = await client.finished
        const played = (await events).filter((event) => event !== 'DecodeError').length
        expect(played).toBe(rows)
        expect(isLeft(result)).toBe(isDamaged)
        // Each wait is rounded up to whole ms.
        const waited = performance.now() - startedAt
        expect(waited).toBeGreaterThanOrEqual(distance / speed - 1)
        expect(waited).toBeLessThanOrEqual(distance / speed + 2 * rows + 2)
        vi.useRealTimers()
      }),
      { numRuns: caseCount(3000) },
    )
  })

  it('is replayed in virtual time, with the timers of the strategy', async () => {
    await fc.assert(
      fc.asyncProperty(recordedTimes, async (times) => {
        const client = replayAt(times, Infinity)
        let ticks = 0
        let latest = -Infinity
        const events = await collect(
          client.run$((inside) =>
            merge(
              summary$(inside).pipe(
                tap(() => {
                  expect(asyncScheduler.now()).toBeGreaterThanOrEqual(latest)
                  latest = asyncScheduler.now()
                }),
              ),
              interval(day).pipe(
                tap(() => ticks++),
                map(() => 'tick'),
              ),
            ),
          ),
        )
        const { distance, rows } = expectedOf(times)
        expect(events.filter((event) => !['DecodeError', 'tick'].includes(event)).length).toBe(rows)
        expect(ticks).toBeCloseTo(Math.floor(distance / day), -1)
      }),
      { numRuns: caseCount(5000) },
    )
  })
})
