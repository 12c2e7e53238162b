import { isRight, left } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { emptyRecording } from '../../../base/errors/constructors.js'
import type { RecordingError } from '../../../base/errors/model.js'
import type { RecordingHeader, Row } from '../format/row.js'
import type { TimeRange } from '../format/timeline.js'
import { Cursor } from './cursor.js'
import { Merge } from './merge.js'
import { readSource, type EntriesResult, type SourceReading } from './read-entries.js'
import { Owners, Sequence } from './sequence.js'
import type { OpenableSource, ReadOn } from './source.js'
import { sequencesOf, type StartedSource } from './started-sources.js'

/** How a set of recordings is read. */
export interface SetReading {
  readonly range: TimeRange
  /** Ends the reading. */
  readonly closing: Subscription
  readonly owners?: Owners
  /** Called before the first line of several recordings, with their topics, their mints, and their first start. */
  readonly onHeader?: (header: RecordingHeader) => void
  /** Called for each row that is left out, because another recording has its topic or mint at that time. */
  readonly onOverlap?: (row: Row) => void
  /** Receives the errors of sources, of which the rest is then left out. Default: the first error is the last result. */
  readonly onDamage?: (error: RecordingError) => void
  /** True if a last row that a crash has cut off is skipped. Default: it is an error. */
  readonly allowsCut?: boolean
  /** Called at the end of the last file, after all other lines. Default: each file ends there. */
  readonly readOn?: ReadOn | undefined
}

/**
 * The entries of a set of recordings, in the order in which they are played. The order of the sources does not matter:
 *
 * - The lines of a source keep their order.
 * - A source whose header continues the header of another one follows it. Such sources are one sequence.
 * - Sequences are in the order of their starts. Where they overlap in time, their lines are merged by `at`.
 * - If overlapping sequences have the same topic or mint, the rows of the one that starts first are played until its end. The
 *   later rows of the next one follow.
 * - A source whose first line cannot be read is the last one, with its error.
 *
 * Memory holds one piece of each source that overlaps. A single source is read without a merge.
 */
export async function* readSet(
  sources: readonly OpenableSource[],
  reading: SetReading,
): AsyncGenerator<EntriesResult, void> {
  const { owners = new Owners(), onHeader, onDamage } = reading
  const [source] = sources
  if (source === undefined) {
    yield left(emptyRecording('the recording'))
  } else if (sources.length === 1) {
    yield* withoutDamage(
      readPart(source, reading, { sequence: new Sequence(owners), readOn: reading.readOn }),
      onDamage,
    )
  } else {
    const started: StartedSource[] = []
    for (const each of sources) started.push(await startOf(each, reading))
    const headers = started.flatMap(({ header }) => header ?? [])
    if (headers[0] !== undefined) onHeader?.(jointHeader(headers[0], headers))
    yield* new Merge(sequencesOf(started), owners, reading).entries()
  }
}

const readPart = (
  source: OpenableSource,
  { range, closing, allowsCut = false }: SetReading,
  options: Pick<SourceReading, 'sequence' | 'readOn'> & { readonly opened?: Subscription } = {},
): AsyncGenerator<EntriesResult, void> =>
  readSource(source, range, options.opened ?? closing, { ...options, allowsCut })

async function* withoutDamage(
  results: AsyncGenerator<EntriesResult, void>,
  onDamage: SetReading['onDamage'],
): AsyncGenerator<EntriesResult, void> {
  if (onDamage === undefined) return yield* results
  for await (const result of results) {
    if (isRight(result)) yield result
    else onDamage(result.left)
  }
}

/** A file is closed again, because there may be thousands. Any other source may be readable only once, and stays open. */
const startOf = async (source: OpenableSource, reading: SetReading): Promise<StartedSource> => {
  const { closing, onDamage } = reading
  const opened = new Subscription()
  closing.add(opened)
  const cursor = new Cursor(readPart(source, reading, { opened }))
  await cursor.refill()
  const header = cursor.head?.line._tag === 'Recording' ? cursor.head.line : undefined
  const headerAt = header?.at ?? Infinity
  if (source.file === undefined)
    return {
      header,
      start: headerAt,
      firstRowAt: headerAt,
      read: () => withoutDamage(cursor.rest(), onDamage),
    }
  cursor.advance()
  await cursor.refill()
  const firstRowAt = cursor.head?.line.at ?? headerAt
  opened.unsubscribe()
  const start = headerAt === 0 ? firstRowAt : headerAt
  const read = (readOn?: ReadOn) => withoutDamage(readPart(source, reading, { readOn }), onDamage)
  return { header, start, firstRowAt, read }
}

const jointHeader = (first: RecordingHeader, all: readonly RecordingHeader[]): RecordingHeader => {
  const assumed = distinct(all.flatMap(({ assumedDepth }) => assumedDepth ?? []))
  const candles = distinct(all.flatMap(({ candles: each }) => each ?? []))
  const invalidRows = all.reduce((sum, header) => sum + (header.invalidRows ?? 0), 0)
  return {
    ...first,
    at: Math.min(...all.map(({ at }) => at)),
    topics: distinct(all.flatMap(({ topics }) => topics)),
    mints: distinct(all.flatMap(({ mints }) => mints)),
    ...(assumed.length === 0 ? {} : { assumedDepth: assumed.join(' or ') }),
    ...(invalidRows === 0 ? {} : { invalidRows }),
    ...(candles.length === 0 ? {} : { candles: candles.join(' and ') }),
  }
}

/** The names without those that differ only in case. */
const distinct = <Name extends string>(names: readonly Name[]): readonly Name[] => [
  ...new Map(names.map((name) => [name.toLowerCase(), name])).values(),
]
