import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { RecordingError } from '../../../base/errors/model.js'
import type { RecordingHeader } from '../format/row.js'
import { isContinuedBy } from '../read/started-sources.js'
import type { RecordedFile, StartedFile } from './recorded-file.js'

/** Files of one recorder, in the order of their starts. */
interface Series {
  readonly start: number
  readonly files: RecordedFile[]
  last: RecordingHeader
}

/**
 * True if a topic is in files that are not one after the other: recorders of one time, copies of a file, or a file that continues
 * a later one, because a clock was set back. Only files that start before `to`, in ms since the Unix epoch, count. If there are
 * several recorders, reads where they end: a compressed file is read to its end, once.
 */
export const hasOverlap = async (
  ordered: readonly StartedFile[],
  topic: Topic,
  to: number,
): Promise<Either<RecordingError, boolean>> => {
  const all = await seriesIn(ordered.filter(({ start }) => start < to))
  if (isLeft(all)) return all
  if (all.right === undefined) return right(true)
  let before: Series | undefined
  let end = -Infinity
  for (const series of all.right) {
    const isIn = await hasTopic(series, topic)
    if (isLeft(isIn)) return isIn
    if (!isIn.right) continue
    end = Math.max(end, before === undefined ? end : await endOf(before))
    if (series.start < end || series.start === before?.start) return right(true)
    before = series
  }
  return right(false)
}

const hasTopic = async ({ files }: Series, topic: Topic): Promise<Either<RecordingError, boolean>> => {
  for (const file of files) {
    const isIn = await file.has(topic)
    if (isLeft(isIn) || isIn.right) return isIn
  }
  return right(false)
}

/** The latest time of all rows: a clock may have been set back between two files. */
const endOf = async ({ files }: Series): Promise<number> => {
  let end = -Infinity
  for (const file of files) {
    const latest = await file.latest()
    // The reading of damaged files ends with their error.
    if (!isLeft(latest)) end = Math.max(end, latest.right)
  }
  return end
}

/** `undefined` if the files of a series are not in the order of their starts. */
const seriesIn = async (
  started: readonly StartedFile[],
): Promise<Either<RecordingError, readonly Series[] | undefined>> => {
  const all: Series[] = []
  const expected = new Set<number>()
  for (const { file, start } of started) {
    const header = await file.header()
    if (isLeft(header)) return header
    const { at, continues } = header.right
    if (expected.has(at)) return right(undefined)
    const series = all.find(({ last }) => isContinuedBy(last, header.right))
    if (series === undefined) {
      if (continues !== undefined) expected.add(continues)
      all.push({ start, files: [file], last: header.right })
      continue
    }
    series.files.push(file)
    series.last = header.right
  }
  return right(all)
}
