import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { Topic } from '../../../base/domain/topic.js'
import type { RecordingError } from '../../../base/errors/model.js'
import type { RecordingHeader, Row } from '../codec/row.js'
import { allTimes, type TimeRange } from '../codec/timeline.js'
import { findPart, lastTime, readTimes, wholeFile, type FilePart, type PartTimes } from './file-part.js'
import { readSource } from './read-entries.js'
import { gzipStart, type FileBytes, type OpenableSource } from './source.js'

/** `start`: in ms since the Unix epoch. */
export interface StartedFile {
  readonly file: RecordedFile
  readonly start: number
}

/** One recording. A plain file can be read from any position. If a source cannot be read, `header`, `start` and `latest` return an error. */
export class RecordedFile {
  private firstHeader: RecordingHeader | undefined
  private known: { readonly size: number; readonly times: PartTimes } | undefined

  constructor(readonly source: OpenableSource) {}

  async header(): Promise<Either<RecordingError, RecordingHeader>> {
    if (this.firstHeader !== undefined) return right(this.firstHeader)
    const first = await this.firstLine(({ _tag }) => _tag === 'Recording')
    if (isLeft(first)) return first
    return right((this.firstHeader = first.right as RecordingHeader))
  }

  /** True if the first header has the topic. True for a file that cannot be read: its reading returns the error. */
  async announces(topic: Topic): Promise<boolean> {
    const header = await this.header()
    return isLeft(header) || header.right.topics.some((name) => name.toLowerCase() === topic.toLowerCase())
  }

  /** The start, in ms since the Unix epoch. If the header does not contain it, the time of the first row. */
  async start(): Promise<Either<RecordingError, number>> {
    const header = await this.header()
    if (isLeft(header) || header.right.at !== 0) return isLeft(header) ? header : right(header.right.at)
    const row = await this.firstLine(({ _tag }) => _tag !== 'Recording')
    return isLeft(row) ? row : right(row.right?.at ?? 0)
  }

  /** The part of a plain file with the rows of a range; the whole of any other source. */
  partOf(range: TimeRange): Promise<FilePart> {
    return this.find(async (bytes) => findPart(await this.timesOf(bytes), range), wholeFile)
  }

  /** The times of some rows, of which the first one is that of the file. They are read again when the file has grown. */
  private async timesOf(bytes: FileBytes): Promise<PartTimes> {
    const size = await bytes.size()
    if (this.known?.size !== size) this.known = { size, times: await readTimes(bytes, size) }
    return this.known.times
  }

  /** The time of the last row, in ms since the Unix epoch. Without a row, the start. */
  async latest(): Promise<Either<RecordingError, number>> {
    const last = await this.find(async (bytes) => lastTime(bytes, await bytes.size()), undefined)
    if (last !== undefined) return right(last)
    let latest: number | undefined
    for await (const entries of readSource(this.source, allTimes, new Subscription(), true)) {
      if (isLeft(entries)) return entries
      for (const { line } of entries.right) if (line._tag !== 'Recording') latest = line.at
    }
    return latest === undefined ? this.start() : right(latest)
  }

  private async firstLine(
    isWanted: (line: Row | RecordingHeader) => boolean,
  ): Promise<Either<RecordingError, Row | RecordingHeader | undefined>> {
    const closing = new Subscription()
    try {
      for await (const entries of readSource(this.source, allTimes, closing)) {
        if (isLeft(entries)) return entries
        for (const { line } of entries.right) if (isWanted(line)) return right(line)
      }
      return right(undefined)
    } finally {
      closing.unsubscribe()
    }
  }

  /** What is found in a plain file; the default for any other source, and for a file that cannot be read. */
  private async find<A>(find: (bytes: FileBytes) => Promise<A>, defaultValue: A): Promise<A> {
    const { file } = this.source
    try {
      const [first] = (await file?.read(0, 1)) ?? []
      return file === undefined || first === gzipStart ? defaultValue : await find(file)
    } catch {
      return defaultValue
    }
  }
}

/** The name of a rotated file: `market.2026-11-22T10-00-00Z.ndjson`, in UTC, with a number after the time if it was taken. */
const rotatedName = /\.(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z(?:_\d+)?\.[^/\\]*$/

/** The time in the name of a rotated file, not after its first row, in ms since the Unix epoch; `undefined` for any other name. */
export const rotatedStart = (name: string): number | undefined => {
  const [, hour, minute, second] = rotatedName.exec(name) ?? []
  const at = Date.parse(`${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? undefined : at
}
