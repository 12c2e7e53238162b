import type { RecordingHeader } from '../format/row.js'
import type { EntriesResult } from './read-entries.js'
import type { ReadOn } from './source.js'

/** A source, and where it starts. */
export interface StartedSource {
  /** `undefined` if it cannot be read. */
  readonly header: RecordingHeader | undefined
  /** In ms since the Unix epoch. If the header does not contain it, the time of the first row. */
  readonly start: number
  /** The time of the first row of a file, in ms since the Unix epoch; of any other source, its start. */
  readonly firstRowAt: number
  /** `readOn`: at the end of a file. */
  readonly read: (readOn?: ReadOn) => AsyncGenerator<EntriesResult, void>
}

/** The sources of each sequence, in order. The sequences are in the order of their starts. */
export const sequencesOf = (sources: readonly StartedSource[]): readonly (readonly StartedSource[])[] => {
  const byStartOfHeader = new Map<number, StartedSource[]>()
  for (const source of sources) {
    const at = source.header?.at ?? NaN
    const sameStart = byStartOfHeader.get(at)
    if (sameStart === undefined) byStartOfHeader.set(at, [source])
    else sameStart.push(source)
  }
  const follower = new Map<StartedSource, StartedSource>()
  const followers = new Set<StartedSource>()
  for (const source of sources) {
    const before = byStartOfHeader
      .get(source.header?.continues ?? NaN)
      ?.find((each) => isContinuedBy(each.header, source.header) && !follower.has(each))
    if (before === undefined) continue
    follower.set(before, source)
    followers.add(source)
  }
  const taken = new Set<StartedSource>()
  const sequenceFrom = (first: StartedSource): readonly StartedSource[] => {
    const sequence: StartedSource[] = []
    for (let each: StartedSource | undefined = first; each !== undefined && !taken.has(each);) {
      taken.add(each)
      sequence.push(each)
      each = follower.get(each)
    }
    return sequence
  }
  const firsts = sources.filter((source) => !followers.has(source))
  // Headers with equal times may seem to continue each other: then no source is the first.
  return [...firsts, ...sources]
    .flatMap((first) => (taken.has(first) ? [] : [{ first, sequence: sequenceFrom(first) }]))
    .sort((a, b) => byStart(a.first, b.first))
    .map(({ sequence }) => sequence)
}

/** Of two files whose headers have the same time, the one with the earlier row is first: it owns their topics. */
const byStart = (a: StartedSource, b: StartedSource): number =>
  a.start - b.start || a.firstRowAt - b.firstRowAt

/** True if a recorder goes on in a new file, which has the second header. */
export const isContinuedBy = (
  before: RecordingHeader | undefined,
  after: RecordingHeader | undefined,
): boolean =>
  before !== undefined &&
  after?.continues === before.at &&
  before !== after &&
  before.topics.join() === after.topics.join() &&
  before.mints.join() === after.mints.join()
