import { appendFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { right } from 'fp-ts/lib/Either.js'
import { take } from 'rxjs'
import type { Topic } from 'svc-streams'
import { openHistory, type GapCause, type HistoryRange } from 'svc-streams/history'
import { describe, expect, it } from 'vitest'
import { stale } from '../../../src/base/errors/constructors.js'
import type { RecordingHeader, Row } from '../../../src/backtest/recording/codec/row.js'
import {
  chunksOf,
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

const minute = 60_000

const at = (ms: number, price: number) => right({ _tag: 'PastPrice', topic, price, at: start + ms })
const gap = (from: number, to: number, cause: GapCause) =>
  right({ _tag: 'Gap', topic, from: start + from, to: start + to, cause })

const status = (ms: number, tag: 'Waiting' | 'Closed'): Row => ({
  _tag: 'Status',
  at: start + ms,
  status: tag === 'Closed' ? { _tag: tag } : { _tag: tag, attempt: 1, retryInMs: 5, reason: 'lost' },
})

const headerAt = (ms: number, fields: Partial<RecordingHeader> = {}): RecordingHeader => ({
  ...header,
  at: start + ms,
  ...fields,
})

/** `from` and `to` in ms after the start of the recording. */
const pastOf = (
  recordings: readonly (readonly (RecordingHeader | Row)[])[],
  { from, to }: { readonly from: number; readonly to: number },
) =>
  eventsOf(
    openHistory(recordings.map((lines) => chunksOf(recordingText(...lines)))).prices$(topic, {
      from: start + from,
      to: start + to,
    }),
  )

describe('the past of a topic', () => {
  it('has the prices from `from`, inclusive, to `to`, exclusive, in the spelling of the caller', async () => {
    const history = openHistory([
      chunksOf(recordingText(header, priceRow(0, 1), priceRow(5, 2), priceRow(9, 3))),
    ])
    const range = { from: start, to: start + 9 }
    expect(await eventsOf(history.prices$('svc-0xAB', range))).toEqual([
      right({ _tag: 'PastPrice', topic: 'svc-0xAB', price: 1, at: start }),
      right({ _tag: 'PastPrice', topic: 'svc-0xAB', price: 2, at: start + 5 }),
    ])
  })

  it('has the rows of two files in the millisecond of `from`', async () => {
    const files = [
      [header, priceRow(0, 1), priceRow(20, 2)],
      [headerAt(20), priceRow(20, 3), priceRow(30, 4)],
    ]
    expect(await pastOf(files, { from: 20, to: 30 })).toEqual([at(20, 2), at(20, 3)])
  })

  it('has the rows of all files of one second, in any order of the files', async () => {
    const prices = Array.from({ length: 5 }, (_, index) => priceRow((index + 2) * minute, index + 2))
    const paths = writeFiles({
      'market.2023-11-14T22-14-00Z_2.ndjson': recordingText(headerAt(5), ...prices),
      'market.2023-11-14T22-14-00Z.ndjson': recordingText(header, priceRow(1, 1)),
    })
    const range = { from: start + 4 * minute, to: start + 6 * minute }
    for (const files of [paths, paths.toReversed()])
      expect(await eventsOf(openHistory(files).prices$(topic, range))).toEqual([
        ...[at(4 * minute, 4), at(5 * minute, 5)],
      ])
  })

  it('ends now, this millisecond included, without `to`', async () => {
    const now = Date.now()
    const recording = recordingText(
      headerAt(now - start),
      priceRow(now - start, 5),
      priceRow(now - start + minute, 6),
    )
    const events = await eventsOf(openHistory([chunksOf(recording)]).prices$(topic, { from: now }))
    expect(events).toEqual([at(now - start, 5)])
  })

  it.each<[string, readonly Row[], readonly (readonly [number, number, GapCause])[]]>([
    ['an outage of the topic', [errorRow(20, down), errorRow(25, down)], [[20, 40, 'disconnected']]],
    ['an outage of the connection', [status(20, 'Waiting')], [[20, 40, 'disconnected']]],
    ['a stale topic', [errorRow(20, stale(topic, 9, undefined))], [[20, 40, 'stale']]],
    [
      'the end of its stream',
      [{ _tag: 'End', at: start + 20, of: topic }, status(30, 'Waiting')],
      [[20, 40, 'unrecorded']],
    ],
    ['a closed client', [status(20, 'Closed')], [[20, 40, 'unrecorded']]],
    [
      'a stale topic and then an outage',
      [errorRow(20, stale(topic, 9, undefined)), errorRow(30, down)],
      [
        [20, 30, 'stale'],
        [30, 40, 'disconnected'],
      ],
    ],
  ])('has a gap from %s to the next price', async (_, rows, gaps) => {
    const lines = [header, priceRow(10, 1), ...rows, priceRow(40, 2), priceRow(50, 3)]
    expect(await pastOf([lines], { from: 10, to: 50 })).toEqual([
      at(10, 1),
      ...gaps.map((each) => gap(...each)),
      at(40, 2),
    ])
    expect(await pastOf([lines], { from: 35, to: 38 })).toEqual([gap(35, 38, gaps.at(-1)![2])])
  })

  it('has a gap where a range is outside of what is recorded', async () => {
    const lines = [header, priceRow(10, 1), priceRow(20, 2)]
    expect(await pastOf([lines], { from: -50, to: 80 })).toEqual([
      gap(-50, 10, 'unrecorded'),
      at(10, 1),
      at(20, 2),
      gap(20, 80, 'unrecorded'),
    ])
    expect(await pastOf([lines], { from: -50, to: -20 })).toEqual([gap(-50, -20, 'unrecorded')])
    expect(await pastOf([lines], { from: 30, to: 80 })).toEqual([gap(30, 80, 'unrecorded')])
    expect(await pastOf([lines], { from: 15, to: 15 })).toEqual([])
  })

  it('has no gap while other rows show that a quiet topic was recorded', async () => {
    const lines = [header, priceRow(0, 1), priceRow(50, 9, other), priceRow(99, 9, other)]
    expect(await pastOf([lines], { from: 40, to: 60 })).toEqual([])
  })

  it('has a gap between two recordings, and none within a rotated one', async () => {
    const first = [header, priceRow(0, 1), priceRow(10, 9, other)]
    const next = [headerAt(20), priceRow(30, 2)]
    const rotated = [headerAt(20, { continues: start }), priceRow(30, 2), priceRow(40, 3)]
    const range = { from: 0, to: 31 }
    expect(await pastOf([next, first], range)).toEqual([
      at(0, 1),
      gap(10, 30, 'unrecorded'),
      at(30, 2),
      gap(30, 31, 'unrecorded'),
    ])
    expect(await pastOf([first, rotated], range)).toEqual([at(0, 1), at(30, 2)])
    expect(await pastOf([first, rotated], { from: 25, to: 31 })).toEqual([at(30, 2)])
    expect(await pastOf([[...first, errorRow(15, down)], rotated], { from: 25, to: 31 })).toEqual([
      gap(25, 30, 'disconnected'),
      at(30, 2),
    ])
  })

  it('is an error that names both recordings where two have the topic at one time', async () => {
    const first = recordingText(header, priceRow(0, 1), priceRow(20, 2))
    const second = recordingText(headerAt(10), priceRow(10, 7), priceRow(30, 9))
    const [a = '', b = ''] = writeFiles({ 'a.ndjson': first, 'b.ndjson': second })
    const events = await eventsOf(openHistory([b, a]).prices$(topic, { from: start, to: start + 30 }))
    expect(events.slice(0, -1)).toEqual([at(0, 1), gap(0, 10, 'unrecorded'), at(10, 7)])
    expect(events.at(-1)).toMatchObject({
      left: {
        message: `line 3 of ${a}: expected a time of ${topic} that no other recording has, got rows of it in ${b} too`,
      },
    })
  })

  it('reads only the recordings that have the topic', async () => {
    const lines = (topics: readonly Topic[], name: Topic, ms: number) => [
      headerAt(ms, { topics }),
      priceRow(ms, ms + 1, name),
      priceRow(ms + 90, ms + 2, name),
    ]
    const parallel = [lines([topic], topic, 0), lines([other], other, 10)]
    expect(await pastOf(parallel, { from: 50, to: 91 })).toEqual([at(90, 2), gap(90, 91, 'unrecorded')])
  })

  it('keeps the order and the times of rows that are earlier than their predecessor', async () => {
    const lines = [header, priceRow(50, 1), priceRow(20, 2), priceRow(60, 3)]
    expect(await pastOf([lines], { from: 0, to: 99 })).toEqual([
      gap(0, 50, 'unrecorded'),
      at(50, 1),
      at(20, 2),
      at(60, 3),
      gap(60, 99, 'unrecorded'),
    ])
  })

  it('is read again for each subscriber, and stops with it', async () => {
    const history = openHistory([chunksOf(recordingText(header, priceRow(0, 1), priceRow(1, 2)))])
    const past$ = history.prices$(topic, { from: start, to: start + 2 })
    expect(await eventsOf(past$.pipe(take(1)))).toEqual([at(0, 1)])
    expect(await eventsOf(past$)).toHaveLength(3)
  })
})

describe('a request that cannot be answered', () => {
  const history = openHistory([chunksOf(recordingText(header, priceRow(0, 1)))])

  it.each<[string, unknown, RegExp]>([
    [
      '`from` in seconds',
      { from: 1_700_000_000 },
      /^from: expected a time in ms .* got 1700000000, which looks like seconds$/,
    ],
    ['`to` in seconds', { from: start, to: 1_700_000_100 }, /^to: .* which looks like seconds$/],
    [
      '`from` after `to`',
      { from: start + 1, to: start },
      /^from: expected a time before to, got \d+, which is after \d+$/,
    ],
    ['`from` in the future', { from: Date.now() + minute }, /^from: .* which is after/],
    ['no `from`', {}, /^from: expected a time in ms since the Unix epoch, got undefined$/],
    ['`from` that is no number', { from: '2026' }, /^from: .* got "2026"$/],
    ['an infinite `to`', { from: start, to: Infinity }, /^to: .* got Infinity$/],
    ['no range', undefined, /^range: expected an object like \{ from, to \}, got undefined$/],
    ['a number', start, /^range: expected an object like \{ from, to \}, got \d+$/],
  ])('is an InvalidRange for %s', async (_, range, message) => {
    expect(await eventsOf(history.prices$(topic, range as HistoryRange))).toEqual([
      {
        _tag: 'Left',
        left: expect.objectContaining({
          _tag: 'InvalidRange',
          message: expect.stringMatching(message) as unknown,
        }) as unknown,
      },
    ])
  })

  it('ignores other properties of the range, such as those of a covered topic', async () => {
    const covered = { topic, from: start, to: start + 1 }
    expect(await eventsOf(history.prices$(topic, covered))).toEqual(
      await eventsOf(history.prices$(topic, { from: start, to: start + 1 })),
    )
  })

  it('takes 0 as the start of all times', async () => {
    expect(await eventsOf(history.prices$(topic, { from: 0, to: start + 1 }))).toEqual([
      gap(-start, 0, 'unrecorded'),
      at(0, 1),
      gap(0, 1, 'unrecorded'),
    ])
  })

  it('is an InvalidTopic or an UnknownTopic', async () => {
    const range = { from: start, to: start + 1 }
    expect(await eventsOf(history.prices$('svc-ab' as Topic, range))).toMatchObject([
      { left: { _tag: 'InvalidTopic' } },
    ])
    expect(await eventsOf(history.prices$('svc-0xef', { from: 1e12, to: 1e12 + 1 }))).toEqual([
      {
        _tag: 'Left',
        left: {
          _tag: 'UnknownTopic',
          message: 'svc-0xef: not in the history; topics() lists those that are',
          topic: 'svc-0xef',
        },
      },
    ])
  })

  it('is a RecordingError without a recording', async () => {
    expect(await eventsOf(openHistory([]).prices$(topic, { from: 0 }))).toMatchObject([
      { left: { _tag: 'RecordingError' } },
    ])
  })

  it.each(['market.ndjson', 5, undefined, [5]])(
    'throws a ConfigurationError for %o as the source',
    (source) => {
      expect(() => openHistory(source as never)).toThrow(/^source: expected /)
    },
  )

  it.each([
    ['https://gate.example/#secret', 'a fragment'],
    ['https://secret@gate.example', 'a user or a password'],
    ['https://:secret@gate.example', 'a user or a password'],
  ])('throws a ConfigurationError for %s, without its secret', (url, excess) => {
    expect(() => openHistory(url)).toThrow(
      new RegExp(`^source: got a URL with ${excess}, expected the URL of a gateway like \\S+$`),
    )
  })
})

describe('a source that cannot be read', () => {
  /** Rows of a second each, more than a binary search reads at once. */
  const lines = Array.from({ length: 2000 }, (_, second) =>
    recordingText(priceRow(second * 1000, second + 1)),
  )
  const text = (changed: readonly string[]): string => recordingText(header) + changed.join('')
  const damaged = (second: number): string => text(lines.with(second, '{"_tag":"Price"\n'))
  const range = (from: number, to: number): HistoryRange => ({
    from: start + from * 1000,
    to: start + to * 1000,
  })

  it.each([
    ['a plain file', (content: string) => ({ 'a.ndjson': content })],
    ['a compressed file', (content: string) => ({ 'a.ndjson.gz': gzipSync(content) })],
  ])('names the damaged line of %s, after the prices before it', async (_, files) => {
    const [path = ''] = writeFiles(files(damaged(1900)))
    const events = await eventsOf(openHistory([path]).prices$(topic, range(1890, 1950)))
    expect(events.slice(0, -1)).toEqual(
      Array.from({ length: 10 }, (_row, n) => at((1890 + n) * 1000, 1891 + n)),
    )
    expect(events.at(-1)).toMatchObject({ left: { _tag: 'RecordingError', source: path, line: 1902 } })
  })

  it('is no error outside of the range, in a plain file', async () => {
    const [path = ''] = writeFiles({ 'a.ndjson': damaged(100) })
    expect(await eventsOf(openHistory([path]).prices$(topic, range(1890, 1950)))).toHaveLength(60)
    expect(await eventsOf(openHistory([path]).prices$(topic, range(10, 20)))).toHaveLength(10)
  })

  it('is a gap if the last line of a file is cut off, as by a crash', async () => {
    const [plain = '', next = ''] = writeFiles({
      'a.ndjson': text(lines).slice(0, -20),
      'b.ndjson': recordingText({ ...header, at: start + 2_050_000 }, priceRow(2_050_000, 7)),
    })
    const prices = await eventsOf(openHistory([plain]).prices$(topic, range(1990, 1999)))
    expect(prices.slice(8)).toEqual([at(1_998_000, 1999), gap(1_998_000, 1_999_000, 'unrecorded')])
    const events = await eventsOf(openHistory([plain, next]).prices$(topic, range(1997, 2051)))
    expect(events.slice(2, 4)).toEqual([gap(1_998_000, 2_050_000, 'unrecorded'), at(2_050_000, 7)])
    expect(await openHistory([plain]).topics()()).toMatchObject({ right: [{ to: start + 1_998_000 }] })
  })

  it('is an error if compressed data are truncated, after the prices of all complete lines', async () => {
    const [zipped = ''] = writeFiles({ 'b.ndjson.gz': gzipSync(text(lines)).subarray(0, -20) })
    const ofZipped = await eventsOf(openHistory([zipped]).prices$(topic, range(0, 2000)))
    expect(ofZipped.at(-1)).toMatchObject({ left: { _tag: 'RecordingError', source: zipped } })
  })

  it('is not there, is empty, or is no recording', async () => {
    const [empty = '', text = '', good = ''] = writeFiles({
      'empty.ndjson': '',
      'text.txt': 'hello\n',
      'good.ndjson': recordingText(header, priceRow(0, 1)),
    })
    for (const path of ['/no/such/file', empty, text]) {
      const history = openHistory([good, path])
      expect(await eventsOf(history.prices$(topic, range(0, 1)))).toMatchObject([
        { left: { _tag: 'RecordingError', source: path, line: 1 } },
      ])
      expect(await history.topics()()).toMatchObject({ left: { _tag: 'RecordingError', source: path } })
    }
  })

  it('can be read only once', async () => {
    const history = openHistory([new Blob([recordingText(header, priceRow(0, 1))]).stream() as never])
    expect(await eventsOf(history.prices$(topic, range(0, 1)))).toMatchObject([
      {
        left: {
          _tag: 'RecordingError',
          message: expect.stringContaining('can be read only once') as unknown,
        },
      },
    ])
  })
})

describe('the topics of a history', () => {
  it('have the times of their first and last rows, over all recordings', async () => {
    const files = {
      'b.ndjson': recordingText(headerAt(100, { topics: [topic] }), priceRow(120, 3)),
      'a.ndjson': recordingText(headerAt(0), priceRow(10, 1), priceRow(50, 2, other)),
    }
    expect(await openHistory(writeFiles(files)).topics()()).toEqual(
      right([
        { topic, from: start + 10, to: start + 120 },
        { topic: other, from: start + 50, to: start + 50 },
      ]),
    )
  })

  it('are those of all rows, also of a topic that no header announces', async () => {
    const third: Topic = 'svc-0xef'
    const recording = recordingText(
      headerAt(0, { topics: [topic] }),
      priceRow(10, 1),
      headerAt(100, { topics: [topic, other] }),
      priceRow(150, 2, other),
      headerAt(200, { topics: ['svc-0xCD'] }),
      priceRow(210, 3, third),
      priceRow(220, 4, 'svc-0xCD'),
    )
    for (const content of [recording, gzipSync(recording)])
      expect(await openHistory(writeFiles({ all: content })).topics()()).toEqual(
        right([
          { topic, from: start + 10, to: start + 10 },
          { topic: other, from: start + 150, to: start + 220 },
          { topic: third, from: start + 210, to: start + 210 },
        ]),
      )
  })

  it('are read again when a file has grown', async () => {
    const [path = ''] = writeFiles({ a: recordingText(headerAt(0, { topics: [topic] }), priceRow(10, 1)) })
    const history = openHistory([path])
    expect(await history.topics()()).toEqual(right([{ topic, from: start + 10, to: start + 10 }]))
    appendFileSync(path, recordingText(priceRow(20, 2, other)))
    expect(await history.topics()()).toEqual(
      right([
        { topic, from: start + 10, to: start + 10 },
        { topic: other, from: start + 20, to: start + 20 },
      ]),
    )
  })
})
