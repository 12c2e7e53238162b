import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { lastValueFrom, toArray } from 'rxjs'
import type { Topic } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { clientClosed, stale, uncorrelatedError } from '../../../src/base/errors/constructors.js'
import { encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import type { RecordingHeader, Row } from '../../../src/backtest/recording/codec/row.js'
import type { RecordingPart } from '../../../src/backtest/recording/read/source.js'
import { caseCount } from '../../support/run/long.js'
import { chunksOf, down, header, other, start, topic } from '../recording/support/recordings.js'
import { referencePast } from './support/reference.js'
import { expect, it } from 'vitest'

// Recordings in files and in memory, against a simple evaluation of all their lines.

type Line = RecordingHeader | Row

/** A row, and how much later than its predecessor it is, in ms. The clock may be set back. */
const step = fc.record({
  ms: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 9000 }) },
    fc.integer({ min: -900, max: 0 }),
  ),
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant('price' as const) },
    { weight: 8, arbitrary: fc.constant('filler' as const) },
    fc.constantFrom('other', 'left', 'status', 'end'),
  ),
  price: fc.integer({ min: 1, max: 9 }),
  epoch: fc.integer({ min: 1, max: 2 }),
  error: fc.constantFrom(down, stale(topic, 5, undefined), clientClosed),
  status: fc.constantFrom(
    { _tag: 'Open', epoch: 1, since: 0 } as const,
    { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: 'lost' } as const,
    { _tag: 'Closed' } as const,
  ),
})

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** A binary search needs files that are larger than its last part. */
const filler = 'x'.repeat(4000)

const rowOf = ({ kind, price, epoch, error, status }: Step, at: number): Row => {
  const value = (of: typeof topic) => ({ topic: of, price, receivedAt: at, epoch })
  switch (kind) {
    case 'price':
      return { _tag: 'Price', at, topic, event: right(value(topic)) }
    case 'other':
      return { _tag: 'Price', at, topic: other, event: right(value(other)) }
    case 'left':
      return { _tag: 'Price', at, topic, event: left(error) }
    case 'status':
      return { _tag: 'Status', at, status }
    case 'end':
      return { _tag: 'End', at, of: topic }
    case 'filler':
      return { _tag: 'Uncorrelated', at, error: { ...uncorrelatedError('malformed', ''), input: filler } }
  }
}

const recording = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }),
  continues: fc.boolean(),
  hasTopic: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  form: fc.constantFrom('plain', 'gzip', 'chunks'),
  isNamed: fc.boolean(),
})

type Recording = typeof recording extends fc.Arbitrary<infer A> ? A : never

/** The lines of each recording. Each starts later than its predecessor ended, by any clock. */
const linesOf = (recordings: readonly Recording[]): readonly (readonly Line[])[] => {
  let now = start
  let previous: RecordingHeader | undefined
  return recordings.map(({ steps, continues, hasTopic }) => {
    now += 60_000
    const isContinued = previous !== undefined && continues
    const topics = isContinued ? (previous?.topics ?? []) : hasTopic ? [topic, other] : [other]
    const first: RecordingHeader = {
      ...header,
      at: now,
      topics,
      ...(isContinued ? { continues: previous!.at } : {}),
    }
    let latest = now
    const rows = steps
      .filter(({ kind }) => topics.includes(topic) || kind === 'other' || kind === 'filler')
      .map((each) => {
        now += each.ms
        latest = Math.max(latest, now)
        return rowOf(each, now)
      })
    now = latest
    previous = first
    return [first, ...rows]
  })
}

const inFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, maxRetries: 5 })
  }
}

const sourceOf = (
  folder: string,
  lines: readonly Line[],
  { form, isNamed }: Recording,
  index: number,
): RecordingPart => {
  const text = lines.map((line) => `${encodeRow(line)}\n`).join('')
  if (form === 'chunks') return chunksOf(text)
  const time = new Date(lines[0]!.at).toISOString().slice(0, 19).replaceAll(':', '-')
  const path = join(folder, isNamed ? `market${index}.${time}Z.ndjson` : `${index}.ndjson`)
  writeFileSync(path, form === 'gzip' ? gzipSync(text) : text)
  return path
}

it(
  'reads the part of the whole that is within the range, from any files in any order',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(recording, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        async (recordings, cuts, turn) => {
          const all = linesOf(recordings)
          const times = [start, ...all.flat().map(({ at }) => at), all.flat().at(-1)!.at + 30_000]
          await inFolder(async (folder) => {
            const sources = all.map((lines, index) => sourceOf(folder, lines, recordings[index]!, index))
            const by = turn % sources.length
            const history = openHistory([...sources.slice(by), ...sources.slice(0, by)])
            const known = all.filter(([first]) => (first as RecordingHeader).topics.includes(topic))
            for (const [a, b] of cuts) {
              const range = [times[a % times.length]!, times[b % times.length]!].sort((x, y) => x - y)
              const [from, to] = [range[0]!, range[1]! + 1]
              const events = await lastValueFrom(history.prices$(topic, { from, to }).pipe(toArray()))
              if (known.length === 0)
                expect(events).toMatchObject([{ left: { _tag: 'UnknownTopic', topic } }])
              else
                expect(events).toEqual(referencePast(topic, known, { from, to }).map((event) => right(event)))
            }
          })
        },
      ),
      { numRuns: caseCount(2000) },
    )
  },
)

it('is the same beside recordings of other topics at the same time', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recording, { minLength: 1, maxLength: 3 }),
      fc.array(recording, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 }),
      fc.nat(90_000),
      async (own, beside, cuts, later) => {
        const all = linesOf(own)
        const known = all.filter(([first]) => (first as RecordingHeader).topics.includes(topic))
        fc.pre(known.length > 0)
        const others = linesOf(beside.map((each) => ({ ...each, hasTopic: true }))).map((lines) =>
          lines.map((line) => ofThird({ ...line, at: line.at + later })),
        )
        const times = [start, ...all.flat().map(({ at }) => at)]
        await inFolder(async (folder) => {
          const sources = [
            ...all.map((lines, index) => sourceOf(folder, lines, own[index]!, index)),
            ...others.map((lines, index) => sourceOf(folder, lines, beside[index]!, all.length + index)),
          ]
          for (const [a, b] of cuts) {
            const range = [times[a % times.length]!, times[b % times.length]!].sort((x, y) => x - y)
            const [from, to] = [range[0]!, range[1]! + 1]
            const past$ = openHistory(sources).prices$(topic, { from, to })
            expect(await lastValueFrom(past$.pipe(toArray()))).toEqual(
              referencePast(topic, known, { from, to }).map((event) => right(event)),
            )
          }
        })
      },
    ),
    { numRuns: caseCount(1000) },
  )
})

const third: Topic = 'svc-0xef'

/** A line of a recorder of a third topic alone. */
const ofThird = (line: Line): Line => {
  if (line._tag === 'Recording') return { ...line, topics: [third] }
  if (line._tag === 'End') return { ...line, of: third }
  return line._tag === 'Price' ? { ...line, topic: third } : line
}
