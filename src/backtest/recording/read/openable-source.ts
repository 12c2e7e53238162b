import { isLeft, left, map, right, type Either } from 'fp-ts/lib/Either.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { emptyRecording } from '../codec/errors.js'
import type { RecordingHeader } from '../codec/row.js'
import type { TimeRange } from '../codec/timeline.js'
import {
  findPart,
  gzipStart,
  lastRow,
  readPlaces,
  wholeFile,
  type FileBytes,
  type FilePart,
  type RowPlace,
  type SourceBytes,
} from './file-part.js'
import { readSource } from './read-entries.js'

/** The first lines of a recording. */
interface Opening {
  readonly header: RecordingHeader
  /** The time of the first row, in ms since the Unix epoch. That of the header if there is none, or if it cannot be read. */
  readonly rowAt: number
}

/** A source that each replay reads from its start. If it cannot be read, `opening`, `start` and `latest` return an error. */
export class OpenableSource implements SourceBytes {
  private known: Opening | undefined
  private places: { readonly size: number; readonly rows: readonly RowPlace[] } | undefined

  constructor(
    readonly name: string,
    readonly open: SourceBytes['open'],
    readonly file?: FileBytes,
  ) {}

  /** Reads the header and the first row, and closes the source. */
  async opening(): Promise<Either<RecordingError, Opening>> {
    if (this.known !== undefined) return right(this.known)
    let opening: Either<RecordingError, Opening> = left(emptyRecording(this.name))
    for await (const entries of readSource(this)) {
      if (isLeft(entries)) return isLeft(opening) ? entries : opening
      for (const { line } of entries.right) {
        if (isLeft(opening)) opening = right({ header: line as RecordingHeader, rowAt: line.at })
        else if (line._tag !== 'Recording') return right((this.known = { ...opening.right, rowAt: line.at }))
      }
    }
    return opening
  }

  /** True if the first header has the topic. True for a file that cannot be read: its reading returns the error. */
  async announces(topic: Topic): Promise<boolean> {
    const opening = await this.opening()
    const isTopic = (name: string): boolean => name.toLowerCase() === topic.toLowerCase()
    return isLeft(opening) || opening.right.header.topics.some(isTopic)
  }

  /** The start, in ms since the Unix epoch. If the header does not contain it, the time of the first row. */
  async start(): Promise<Either<RecordingError, number>> {
    return map(({ header, rowAt }: Opening) => (header.at === 0 ? rowAt : header.at))(await this.opening())
  }

  /** The part of a plain file with the rows of a range; the whole of any other source. */
  partOf(range: TimeRange): Promise<FilePart> {
    return this.find(async (bytes) => {
      const size = await bytes.size()
      if (this.places?.size !== size) this.places = { size, rows: await readPlaces(bytes, size) }
      return findPart(this.places.rows, range)
    }, wholeFile)
  }

  /** The time of the last row, in ms since the Unix epoch. Without a row, the start. */
  async latest(): Promise<Either<RecordingError, number>> {
    const last = await this.find(async (bytes) => lastRow(bytes, await bytes.size()), undefined)
    if (last !== undefined) return right(last.at)
    let latest: number | undefined
    for await (const entries of readSource(this, { allowsCut: true })) {
      if (isLeft(entries)) return entries
      for (const { line } of entries.right) if (line._tag !== 'Recording') latest = line.at
    }
    return latest === undefined ? this.start() : right(latest)
  }

  /** What is found in a plain file; the default for any other source, and for a file that cannot be read. */
  private async find<A>(find: (bytes: FileBytes) => Promise<A>, defaultValue: A): Promise<A> {
    const { file } = this
    try {
      const [first] = (await file?.read(0, 1)) ?? []
      return file === undefined || first === gzipStart ? defaultValue : await find(file)
    } catch {
      return defaultValue
    }
  }
}
