import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { asyncScheduler, map } from 'rxjs'
import type { Client } from 'svc-streams'
import { replay, type RecordingSource } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../../src/backtest/recording/codec/row.js'
import { newFile } from '../../../cli/support/new-file.js'
import { newFolder } from '../../../support/new-folder.js'
import { chunked } from '../support/bytes.js'
import {
  chunksOf,
  collect,
  header,
  other,
  priceRow,
  recordingText,
  start,
  prices$,
  summary$,
  topic,
} from '../support/recordings.js'
import { playedRows } from '../support/rows.js'

const first = recordingText(header, priceRow(1, 1), priceRow(2, 2))
const second = recordingText({ ...header, at: start + 3 }, priceRow(3, 3))

describe('a list of sources', () => {
  it('is replayed in its order: paths, URLs, streams and iterables, plain and gzip', async () => {
    const third = recordingText({ ...header, at: start + 4 }, priceRow(5, 4))
    const fourth = recordingText({ ...header, at: start + 6 }, priceRow(6, 5))
    const client = replay(
      [
        newFile('a.ndjson', first),
        pathToFileURL(newFile('b.ndjson', second)),
        Readable.from([gzipSync(third)]),
        chunksOf(fourth.slice(0, 50), fourth.slice(50)),
      ],
      { speed: Infinity },
    )
    expect(await collect(prices$(client))).toEqual([1, 2, 3, 4, 5])
    expect(await client.finished).toEqual(playedRows(5))
  })

  it('joins no lines of two sources: a last line needs no line end', async () => {
    const client = replay([chunksOf(first.trimEnd()), chunksOf(second)], { speed: Infinity })
    expect(await collect(prices$(client))).toEqual([1, 2, 3])
  })

  it.each<[string, () => RecordingSource, string]>([
    [
      'a path',
      () => newFile('b.ndjson', `${second}{}\n`),
      'line 3 of \\S+b.ndjson: expected a row of a recording',
    ],
    ['no path', () => chunksOf(`${second}{}\n`), 'line 3 of source 2: expected a row of a recording'],
    [
      'no header',
      () => chunksOf(recordingText(priceRow(3, 3))),
      'line 1 of source 2: _tag: expected "Recording"',
    ],
    [
      'nothing',
      () => newFile('empty.ndjson', ''),
      '\\S+empty.ndjson is empty: no header was written. Leave it out, or record again$',
    ],
    ['a missing file', () => '/no/such/b.ndjson', '/no/such/b.ndjson does not exist \\(ENOENT\\)'],
    [
      'a row that is too late',
      () => chunksOf(second + recordingText(priceRow(400 * 86_400_000, 1))),
      'line 3 of source 2: at: expected a time',
    ],
  ])('names the source and its line in the error of a source with %s', async (_, damaged, message) => {
    const client = replay([chunksOf(first), damaged() as string], { speed: Infinity })
    expect((await collect(summary$(client))).slice(0, 2)).toEqual(['1', '2'])
    expect(await client.finished).toMatchObject({
      left: { _tag: 'RecordingError', message: expect.stringMatching(`^${message}`) as string },
    })
  })

  it('is replayed in the order of the times of its sources', async () => {
    const early = recordingText({ ...header, at: start - 50 }, priceRow(-40, 3), priceRow(-30, 4))
    const client = replay([chunksOf(first), chunksOf(early)], { speed: Infinity })
    const times = client.run$((inside) => prices$(inside).pipe(map(() => asyncScheduler.now() - start)))
    expect(await collect(times)).toEqual([-40, -30, 1, 2])
  })

  it('is a RecordingError if it is empty', async () => {
    expect(await replay([]).finished).toMatchObject({
      left: { message: 'the recording is empty: no header was written. Leave it out, or record again' },
    })
  })

  it('is replayed like one source, however the recording is split', async () => {
    const rows: readonly Row[] = Array.from({ length: 20 }, (_, n) =>
      n % 7 === 6
        ? { _tag: 'Status', at: start + n * 10, status: { _tag: 'Open', epoch: n, since: start } }
        : priceRow(n * 10, n + 1, n % 3 === 0 ? other : topic),
    )
    const timed$ = (client: Client) =>
      prices$(client).pipe(map((price) => `${asyncScheduler.now()} ${price}`))
    const run = (source: RecordingSource) => collect(replay(source, { speed: Infinity }).run$(timed$))
    const whole = await run(chunksOf(recordingText(header, ...rows)))
    const split = fc.record({
      bounds: fc.uniqueArray(fc.integer({ min: 1, max: rows.length - 1 }), { maxLength: 4 }),
      lengths: fc.array(fc.nat(80), { maxLength: 20 }),
      zipped: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(split, async ({ bounds, lengths, zipped }) => {
        const ends = [0, ...bounds.sort((a, b) => a - b), rows.length]
        const sources = ends.slice(1).map((end, index) => {
          const part = rows.slice(ends[index], end)
          const bytes = Buffer.from(recordingText({ ...header, at: part[0]!.at }, ...part))
          return chunksOf(...chunked(zipped[index]! ? gzipSync(bytes) : bytes, lengths))
        })
        expect(await run(sources)).toEqual(whole)
      }),
    )
  })
})

describe('a source that cannot be read', () => {
  type Case = [string, () => string | URL, RegExp]

  const onLinux: Case[] = [
    [
      'a file whose content cannot be read',
      () => '/proc/self/mem',
      /^line 1 of \/proc\/self\/mem: expected a line that can be read, got EIO/,
    ],
  ]

  it.each<Case>([
    ...(process.platform === 'linux' ? onLinux : []),
    [
      'a missing file',
      () => '/no/such/market.ndjson',
      /^\/no\/such\/market.ndjson does not exist \(ENOENT\)$/,
    ],
    [
      'a missing file by its URL',
      () => pathToFileURL('/no/such/market.ndjson'),
      /^file:\/\/\/\S*no\/such\/market.ndjson does not exist/,
    ],
    ['a folder', newFolder, /^\S+ is a directory \(EISDIR\)$/],
    [
      'the text of a recording',
      () => first,
      // Windows accepts no path with a line end.
      /^\{"_tag":"Recording".{1,60} \((?:ENAMETOOLONG|ENOENT)\)\. A string is a path\. Pass text as an iterable of strings$/,
    ],
    ['a long text', () => '\n', /^… does not exist \(ENOENT\)\. A string is a path/],
    [
      'an http URL',
      () => new URL('http://localhost/market.ndjson'),
      /of http:\/\/localhost\/market.ndjson: .*must be of scheme file/,
    ],
  ])('%s is a RecordingError in finished, header() and the streams', async (_, source, message) => {
    const client = replay(source(), { speed: Infinity })
    const expected = { message: expect.stringMatching(message) as string }
    // Without a subscriber.
    expect(await client.finished).toMatchObject({ left: { ...expected, _tag: 'RecordingError', line: 1 } })
    expect(await client.header()).toMatchObject({ left: { ...expected, _tag: 'RecordingError' } })
    expect(await collect(client.price$(topic))).toMatchObject([
      { left: { ...expected, _tag: 'DecodeError' } },
    ])
    expect(await collect(client.run$((inside) => summary$(inside)))).toEqual(['DecodeError'])
  })

  it.each([undefined, null, 5, {}, [5], [undefined]])('%j throws a ConfigurationError', (source) => {
    expect(() => replay(source as never)).toThrow(
      'source: expected a path, a file URL, an iterable of text or bytes, or an array of these',
    )
  })

  it('with chunks of another type is a RecordingError', async () => {
    const client = replay(new Set([5]) as unknown as Iterable<string>)
    expect(await client.finished).toMatchObject({
      left: {
        message: 'line 1 of the recording: expected a line that can be read, got a chunk of type number',
      },
    })
  })
})
