import { readFileSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { replay } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { createRecordingFile } from '../../../../src/backtest/recording/write/recording-file.js'
import { newFile } from '../../../cli/support/new-file.js'
import { caseCount } from '../../../support/run/long.js'
import { chunked, gzipMembers } from '../support/bytes.js'
import {
  chunksOf,
  collect,
  down,
  errorRow,
  header,
  priceRow,
  recordingText,
  topic,
} from '../support/recordings.js'
import { playedRows } from '../support/rows.js'

const rows = Array.from({ length: 40 }, (_, n) =>
  n % 10 === 9 ? errorRow(n, { ...down, reason: 'größer 🐻' }) : priceRow(n, n + 1),
)
const text = recordingText(header, ...rows)
const events = rows.map((row) => row._tag === 'Price' && row.event)
const bytes = gzipSync(text)

const replayed = async (source: Parameters<typeof replay>[0]) => {
  const client = replay(source, { speed: Infinity })
  return { events: await collect(client.price$(topic)), result: await client.finished }
}

describe('a replay recognises gzip by the content', () => {
  const file = (name: string): string => {
    const path = newFile(name)
    writeFileSync(path, bytes)
    return path
  }

  it.each<[string, () => Parameters<typeof replay>[0]]>([
    ['a file', () => file('market.ndjson.gz')],
    ['a file without .gz in its name', () => file('market.ndjson')],
    ['a Node stream', () => Readable.from([bytes.subarray(0, 1), bytes.subarray(1)])],
    [
      'a web stream',
      () =>
        new ReadableStream<Uint8Array>({
          start: (controller) => {
            controller.enqueue(bytes)
            controller.close()
          },
        }),
    ],
    ['an iterable of bytes after an empty chunk', () => chunksOf(new Uint8Array(0), bytes)],
    ['a file with padding of zeros', () => chunksOf(bytes, new Uint8Array(1000), new Uint8Array(9))],
  ])('of %s', async (_, source) => {
    expect(await replayed(source())).toEqual({ events, result: playedRows(rows.length) })
  })

  it('in any number of members and chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }),
        async (offsets, lengths) => {
          const source = chunksOf(...chunked(gzipMembers(text, offsets), lengths))
          expect(await replayed(source)).toEqual({ events, result: playedRows(rows.length) })
        },
      ),
      { numRuns: caseCount(1000) },
    )
  })
})

/** A recording that `record` wrote. `blocks`: where each block ends in the file, and how many rows there are up to there. */
const writeRecording = () => {
  const written = Array.from({ length: 3000 }, (_, n) => priceRow(n, Math.sin(n) + 2))
  const path = newFile('market.ndjson.gz')
  const file = createRecordingFile(path)
  const trailerLength = 10
  const blocks: { readonly end: number; readonly rows: number }[] = []
  for (const [rowsBefore, line] of recordingText(header, ...written)
    .split('\n')
    .slice(0, -1)
    .entries()) {
    const { bytes: before } = file
    file.write(`${line}\n`, () => undefined)
    if (file.bytes > before) blocks.push({ end: file.bytes - trailerLength, rows: rowsBefore })
  }
  file.close()
  return {
    bytes: readFileSync(path),
    blocks,
    events: written.map((row) => row._tag === 'Price' && row.event),
  }
}

it('a compressed recording to which rows are written during its replay ends where it ended when it was read', async () => {
  const path = newFile('market.ndjson.gz')
  const file = createRecordingFile(path)
  const many = Array.from({ length: 1000 }, (_, n) => priceRow(n, n + 1))
  const write = (lines: string): unknown => file.write(lines, () => undefined)
  write(recordingText(header, ...many))
  const client = replay(path, { speed: Infinity })
  await client.price$(topic).forEach((event) => {
    if (isRight(event) && event.right.price === 1) write(recordingText(...many))
  })
  file.close()
  expect(await client.finished).toMatchObject({ right: { rows: 1000 } })
  expect((await replayed(path)).events).toHaveLength(2000)
})

describe('the replay of damaged gzip data', () => {
  it('emits all complete rows before a truncation, then an error that names the line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 3 }), fc.nat(), async (offsets, cut) => {
        const whole = gzipMembers(text, offsets)
        const { events: seen, result } = await replayed(
          chunksOf(whole.subarray(0, 1 + (cut % (whole.length - 1)))),
        )
        if (result._tag === 'Right') {
          // The cut is at the end of a member and of a line.
          expect(seen).toEqual(events.slice(0, result.right.rows))
        } else {
          expect(seen.slice(0, -1)).toEqual(events.slice(0, Math.max(0, result.left.line - 2)))
          expect(seen.at(-1)).toMatchObject({ left: { _tag: 'DecodeError' } })
          // A cut after a member without data leaves an empty recording.
          expect(result.left.message).toMatch(/truncated gzip data|expected JSON|the recording is empty/)
        }
      }),
      { numRuns: caseCount(1000) },
    )
  })

  it('loses no complete row at the end of a truncated file', async () => {
    // Without the checksum, all data are there.
    const { events: seen, result } = await replayed(chunksOf(bytes.subarray(0, -8)))
    expect(seen.slice(0, -1)).toEqual(events)
    expect(result).toMatchObject({
      left: {
        message: 'line 42 of the recording: expected a line that can be read, got truncated gzip data',
      },
    })
  })

  it('emits all rows before a damaged byte but those of 16 kB of text', async () => {
    const written = writeRecording()
    expect(written.blocks.length).toBeGreaterThan(5)
    await fc.assert(
      fc.asyncProperty(fc.noBias(fc.nat()), fc.integer({ min: 1, max: 255 }), async (position, change) => {
        const damaged = Uint8Array.from(written.bytes)
        const at = 10 + (position % (written.blocks.at(-1)!.end - 10))
        damaged[at]! ^= change
        const { events: seen, result } = await replayed(chunksOf(damaged))
        // A block has more text than that.
        const before = written.blocks.filter(({ end }) => end <= at).at(-2)
        const intact = before?.rows ?? 0
        expect(seen.slice(0, intact)).toEqual(written.events.slice(0, intact))
        // Without two blocks before, the header may be missing too.
        if (isLeft(result)) expect(result.left.line).toBeGreaterThan(before === undefined ? 0 : intact + 1)
        else expect(seen).toEqual(written.events)
      }),
      { numRuns: caseCount(30) },
    )
  })

  it.each<[string, () => Uint8Array, RegExp]>([
    [
      'a wrong checksum',
      () => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8)]),
      /damaged gzip data: incorrect data check/,
    ],
    [
      'text after the last member',
      () => Buffer.concat([bytes, Buffer.from('{"at":1}')]),
      /damaged gzip data/,
    ],
    ['nothing but its first byte', () => bytes.subarray(0, 1), /^line 1 of .*truncated gzip data/],
    [
      'another second byte',
      () => Uint8Array.from([0x1f, 1, 2, 3]),
      /^line 1 of .*damaged gzip data: incorrect header check/,
    ],
  ])('reports %s', async (_, source, message) => {
    const { result } = await replayed(chunksOf(source()))
    expect(result).toMatchObject({ left: { message: expect.stringMatching(message) as string } })
  })

  it(
    'is never silent: with any byte changed, it emits an error or all rows',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
          const damaged = Uint8Array.from(bytes)
          damaged[at]! ^= change
          const client = replay(chunksOf(damaged), { speed: Infinity })
          const seen = await collect(client.price$(topic))
          // The damage may be in the name of the topic. The replay then pauses, because its only stream has completed.
          if (seen.some((event) => isLeft(event) && event.left._tag === 'SubscriptionRejected')) {
            await client.close()
            return
          }
          const result = await client.finished
          // Bytes 4 to 9 are a time stamp and the operating system. The last byte of the data may have unused bits.
          const isIrrelevant = at < 10 || at === bytes.length - 9
          if (result._tag === 'Right') expect([seen, isIrrelevant]).toEqual([events, true])
        }),
        { numRuns: caseCount(1000) },
      )
    },
  )
})
