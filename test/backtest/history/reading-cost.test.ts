import { gzipSync } from 'node:zlib'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { openHistory } from 'svc-streams/history'
import { describe, expect, it } from 'vitest'
import type { RecordingHeader } from '../../../src/backtest/recording/codec/row.js'
import { nodePlatform } from '../../../src/backtest/recording/read/node-platform.js'
import { recordedHistory } from '../../../src/backtest/history/recorded-history.js'
import { openableSource } from '../../../src/backtest/recording/read/source.js'
import {
  down,
  errorRow,
  header,
  other,
  priceRow,
  recordingText,
  start,
  topic,
} from '../recording/support/recordings.js'
import { eventsOf, writeFiles } from './support/files.js'
import { counted } from './support/counted.js'

// How many bytes of which files a range needs.

const hour = 3_600_000

/** A row of another topic each second. */
const quietHour = (from: number): string =>
  Array.from({ length: 3600 }, (_, second) => recordingText(priceRow(from + second * 1000, 1, other))).join(
    '',
  )

const rotated = (ms: number): string =>
  `market.${new Date(start + ms).toISOString().slice(0, 19).replaceAll(':', '-')}Z.ndjson`

/** A price each hour: more than one part of a file. */
const hours = Array.from({ length: 500 }, (_, n) => priceRow(n * hour, n + 1))

const text = (ms: number, body: string): string => recordingText({ ...header, at: start + ms }) + body

describe('a range', () => {
  it('opens no rotated file of another time', async () => {
    const hours = [0, 1, 2, 3, 4]
    const contents = hours.map((n) => {
      const continued = n === 0 ? {} : { continues: start + (n - 1) * hour }
      const first: RecordingHeader = { ...header, at: start + n * hour, ...continued }
      return [rotated(n * hour), recordingText(first, priceRow(n * hour, n))]
    })
    const files = writeFiles(Object.fromEntries(contents) as Record<string, string>).map(counted)
    const history = recordedHistory(files.map(({ source }) => source))
    const events = await eventsOf(
      history.prices$(topic, { from: start + 2 * hour, to: start + 3 * hour - 1 }),
    )
    expect(events[0]).toEqual(right({ _tag: 'PastPrice', topic, price: 2, at: start + 2 * hour }))
    // The second file has the price at the start of the range. The fourth shows whether the recording goes on until the end.
    expect(files.map(({ bytes }) => Math.min(bytes, 2))).toEqual([0, 2, 2, 2, 0])
  })

  it('reads a small part of a large file', async () => {
    const body = quietHour(0) + quietHour(hour) + quietHour(2 * hour)
    const [path = ''] = writeFiles({ 'a.ndjson': text(0, recordingText(priceRow(0, 5)) + body) })
    const file = counted(path)
    const from = start + 3 * hour - 20_000
    expect(
      await eventsOf(recordedHistory([file.source]).prices$(other, { from, to: from + 10_000 })),
    ).toHaveLength(10)
    expect(file.bytes).toBeLessThan(500_000)
    expect(body.length).toBeGreaterThan(1_500_000)
  })

  it('has no gap before a row that is outside of its part of the file', async () => {
    const [path = ''] = writeFiles({ 'a.ndjson': text(0, recordingText(...hours)) })
    const history = openHistory([path])
    for (const { at } of hours.slice(0, -1)) {
      const events = await eventsOf(history.prices$(topic, { from: at, to: at + 1000 }))
      expect(events).toMatchObject([{ right: { _tag: 'PastPrice', at } }])
    }
  })

  it.each([
    ['a price', priceRow(500, 5), []],
    ['an error', errorRow(500, down), [{ cause: 'disconnected' }]],
  ])('knows that the last row of the topic is %s, however long ago', async (_, row, gaps) => {
    const body = quietHour(1000) + quietHour(hour + 1000) + quietHour(2 * hour + 1000)
    const content = text(0, recordingText(row) + body)
    const continued =
      recordingText({ ...header, at: start + 3 * hour + 1000, continues: start }) + quietHour(3 * hour + 1000)
    const files = {
      'a.ndjson': content,
      'b.ndjson': continued,
      'c.ndjson.gz': gzipSync(content),
      'd.ndjson.gz': gzipSync(continued),
    }
    const [plain = '', plainNext = '', zipped = '', zippedNext = ''] = writeFiles(files)
    for (const [paths, from] of [
      [[plain], 2.9 * hour],
      [[plain, plainNext], 3.9 * hour],
      [[plain, zippedNext], 3.9 * hour],
      [[zipped, plainNext], 3.9 * hour],
      [[zipped, zippedNext], 3.9 * hour],
    ] as const) {
      const history = recordedHistory(paths.map((path) => openableSource(nodePlatform, path)))
      const range = { from: start + from, to: start + from + 10 }
      expect(await eventsOf(history.prices$(topic, range))).toMatchObject(gaps.map((gap) => ({ right: gap })))
    }
  })

  it('has no gap between rotated files, also if the header of the first one is not in its part', async () => {
    const step = { ...header, at: start + 1000 }
    const next = { ...header, at: start + 3 * hour, continues: step.at }
    const first = recordingText(header, priceRow(0, 1), step, priceRow(1000, 2))
    const paths = writeFiles({
      'a.ndjson': first + quietHour(2000) + quietHour(hour) + quietHour(2 * hour - 1000),
      'b.ndjson': recordingText(next, priceRow(3 * hour + 9000, 3)),
    })
    const range = { from: start + 3 * hour - 5000, to: start + 3 * hour + 9001 }
    const events = await eventsOf(openHistory([...paths]).prices$(topic, range))
    expect(events).toMatchObject([
      { right: { price: 3 } },
      { right: { _tag: 'Gap', from: start + 3 * hour + 9000 } },
    ])
  })

  it('misses no row after a step back of the clock by a minute', async () => {
    const body = quietHour(0) + quietHour(hour - 60_000) + quietHour(2 * hour - 60_000)
    const [path = ''] = writeFiles({ 'a.ndjson': text(0, body) })
    const history = recordedHistory([openableSource(nodePlatform, path)])
    for (const from of [hour - 61_000, hour - 30_000, hour - 1000, hour]) {
      const events = await eventsOf(history.prices$(other, { from: start + from, to: start + hour + 1000 }))
      const before = Math.max(0, (hour - from) / 1000)
      const again = (hour + 1000 - Math.max(from, hour - 60_000)) / 1000
      expect(events).toHaveLength(before + again)
    }
  })

  it('misses no row after a step of the clock that is shorter than the time between two places', async () => {
    for (const step of [-100_000, -200_000, -300_000, 300_000]) {
      // A clock that is ahead for a time is set back afterwards.
      const ahead =
        step > 0
          ? quietHour(hour + step)
              .split(/(?<=\n)/, 100)
              .join('')
          : ''
      const second = step > 0 ? hour + 100_000 : hour + step
      const body = quietHour(0) + ahead + quietHour(second) + quietHour(second + hour)
      const [path = ''] = writeFiles({ 'a.ndjson': text(0, body) })
      const history = recordedHistory([openableSource(nodePlatform, path)])
      const times = Array.from(body.matchAll(/"at":(\d+)/g), ([, at]) => Number(at))
      for (let from = hour - 400_000; from < hour + 500_000; from += 10_000) {
        const range = { from: start + from, to: start + from + 1000 }
        const expected = times.filter((at) => at >= range.from && at < range.to)
        const events = await eventsOf(history.prices$(other, range))
        const prices = events.filter((event) => isRight(event) && event.right._tag === 'PastPrice')
        expect([step, from, prices.length]).toEqual([step, from, expected.length])
      }
    }
  })
})
