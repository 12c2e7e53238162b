import { isRight } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { openHistory, type PastEvent } from 'svc-streams/history'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { readPast } from '../../../src/backtest/history/past-reading.js'
import { runInProcess } from '../../cli/support/in-process.js'
import { header, other, priceRow, recordingText, start, topic } from '../recording/support/recordings.js'
import { eventsOf, startedFiles, writeFiles } from './support/files.js'

// A recorder whose clock steps.

const minute = 60_000
const hour = 60 * minute

/** A price each second, from a time in ms after the start. The prices of a recording are 1, 2, 3… */
const seconds = (from: number, count: number, first: number): readonly Row[] =>
  Array.from({ length: count }, (_, n) => priceRow(from + n * 1000, first + n))

/** The prices of a range, in ms after the start, and the times of its gaps. */
const pastOf = async (paths: readonly string[], from: number, to: number) => {
  const events = await eventsOf(
    openHistory([...paths]).prices$(topic, { from: start + from, to: start + to }),
  )
  return summaryOf(events.map((event) => (isRight(event) ? event.right : expect.fail())))
}

const summaryOf = (events: readonly PastEvent[]) => ({
  prices: events.flatMap((event) => (event._tag === 'PastPrice' ? [event.price] : [])),
  gaps: events.flatMap((event) => (event._tag === 'Gap' ? [[event.from - start, event.to - start]] : [])),
})

const numbers = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, n) => first + n)

const fileOf = (...rows: readonly Row[]): readonly string[] =>
  writeFiles({ 'market.ndjson': recordingText(header, ...rows) })

describe.each([30_000, 10 * minute, 5 * hour])('a clock that is set back by %s ms', (step) => {
  /** 30 prices, and after the step 30 more, of 1 to 60. */
  const file = () => fileOf(...seconds(0, 30, 1), ...seconds(30_000 - step, 30, 31))

  it('loses no price, in the order of the rows', async () => {
    const { prices } = await pastOf(file(), -step, minute)
    expect(prices).toEqual(numbers(1, 60))
  })

  it('leaves the last 5 s before now readable, without a gap', async () => {
    const end = 60_000 - step
    const { prices, gaps } = await pastOf(file(), end - 5000, end - 1000)
    expect(prices.slice(-4)).toEqual(numbers(56, 4))
    expect(gaps).toEqual([])
  })

  it('leaves both times readable in a large file', async () => {
    const before = seconds(0, 2000, 1)
    const after = seconds(2000_000 - step, 2000, 2001)
    const paths = fileOf(...before, ...after)
    for (const at of [10_000, 1000_000, 1990_000, 2000_000 - step, 3000_000 - step, 3990_000 - step]) {
      const expected = [...before, ...after].filter(
        (row) => row.at >= start + at && row.at < start + at + 5000,
      )
      expect((await pastOf(paths, at, at + 5000)).prices).toHaveLength(expected.length)
    }
  })

  it('is a warning of inspect, which counts each second once', async () => {
    const { stdout } = await runInProcess(['inspect', ...file(), '--json'])
    expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({
      rows: 60,
      earlierRows: 1,
      coveredMs: 58_000,
      pricesPerSecond: { median: 1, max: 1 },
    })
  })
})

it('a clock that is set back takes no time from what inspect has of another topic', async () => {
  const rows = [...seconds(0, 60, 1), ...seconds(-600_000, 60, 61)]
  const both = rows.map((row, n) => (n % 2 === 0 ? row : { ...row, topic: other }) as Row)
  const { stdout } = await runInProcess(['inspect', ...fileOf(...both), '--json'])
  const summaries = stdout.trim().split('\n')
  expect(summaries.map((line) => (JSON.parse(line) as { coveredMs: number }).coveredMs)).toEqual([
    118_000, 117_000,
  ])
})

describe('a clock that was ahead once', () => {
  const ahead = 400 * 24 * hour

  it('leaves the last minute readable in one file, however far the clock was ahead', async () => {
    const now = Date.now() - start
    for (const ms of [hour, 300 * 24 * hour]) {
      const paths = fileOf(...seconds(now + ms, 5, 1), ...seconds(now - minute, 60, 6))
      expect(await pastOf(paths, now - minute, now - 1000)).toEqual({ prices: numbers(6, 59), gaps: [] })
    }
  })

  it('leaves the last minute readable in a file with a name in the future', async () => {
    const now = Date.now() - start
    const nameAt = (ms: number) =>
      `market.${new Date(start + ms).toISOString().slice(0, 19).replaceAll(':', '-')}Z.ndjson`
    const paths = writeFiles({
      [nameAt(now - hour)]: recordingText(
        { ...header, at: start + now - hour },
        ...seconds(now - hour, 9, 1),
      ),
      [nameAt(now + ahead)]: recordingText(
        { ...header, at: start + now + ahead, continues: start + now - hour },
        ...seconds(now + ahead, 5, 11),
        ...seconds(now - minute, 60, 101),
      ),
    })
    expect((await pastOf(paths, now - minute, now - 1000)).prices).toEqual(numbers(101, 59))
  })
})

describe('a recorder that starts again after its clock was set back', () => {
  const text = (from: number, first: number) =>
    recordingText({ ...header, at: start + from }, ...seconds(from, 30, first))
  const files = () =>
    writeFiles({
      'market.2023-11-14T22-14-00Z.ndjson': text(0, 1),
      'market.2023-11-14T22-14-20Z.ndjson': text(20_000, 31),
    })
  const range = { from: start, to: start + minute }

  it('loses no price of a history that it alone has written', async () => {
    const events: PastEvent[] = []
    const emit = (event: PastEvent) => events.push(event)
    const closing = new Subscription()
    const options = { isRecordedOn: true, isOneRecorder: true }
    await readPast({ topic, range, emit, closing, ...options }, startedFiles(files()))
    expect(summaryOf(events).prices).toEqual(numbers(1, 60))
  })

  it('is a second recorder of the topic otherwise, which is an error that names both files', async () => {
    const paths = files()
    const events = await eventsOf(openHistory([...paths]).prices$(topic, range))
    expect(events).toHaveLength(23)
    expect(events.at(-1)).toMatchObject({
      left: {
        _tag: 'RecordingError',
        source: paths[0],
        message: expect.stringContaining(paths[1]!) as string,
      },
    })
  })
})

it('a clock that is set back before the end of a file leaves a gap up to the next recorder', async () => {
  const paths = writeFiles({
    'first.ndjson': recordingText(header, priceRow(0, 1), priceRow(1, 1, other), priceRow(0, 2, other)),
    'second.ndjson': recordingText({ ...header, at: start + minute }, priceRow(minute, 2)),
  })
  expect(await pastOf(paths, 0, 1)).toEqual({ prices: [1], gaps: [[0, 1]] })
})

describe('the topics of a history', () => {
  it('are read of a recording whose clock was set back', async () => {
    const paths = fileOf(priceRow(0, 1, other), ...seconds(0, 3, 1), ...seconds(-5000, 3, 4))
    expect(await openHistory([...paths]).topics()()).toMatchObject({ right: [{ topic: other }, { topic }] })
  })
})
