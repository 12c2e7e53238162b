import { existsSync, renameSync, rmSync } from 'node:fs'
import { Subscription } from 'rxjs'
import { delay } from '../../../base/time/timers.js'
import { systemClock } from '../../../base/time/clock.js'
import { createFile, type AppendedFile } from '../files/appended-file.js'
import { partOf } from '../files/files.js'
import { GzipBlocks } from '../files/gzip.js'
import { gzipExtension } from '../codec/rotated-path.js'
import type { LineWriter } from './line-recorder.js'
import type { NewRecording } from './write-recording.js'

/** A new file that receives the lines of a recording. `write` throws if a line cannot be written. */
export interface RecordingFile extends LineWriter {
  /** Length of the file, in bytes. */
  readonly bytes: number
  /** Throws if the rest cannot be written. */
  readonly close: () => void
}

/** Lines that are written together have about this length, in UTF-16 code units. */
const blockLength = 2 ** 16

/** A line of a compressed recording is written at most this time later, in ms: a killed process loses no earlier line. */
export const maxBlockMs = 2_000

/**
 * Each line of a plain file, and the header of a gzip file, is written synchronously: a killed process loses none. Other lines are
 * compressed in blocks. Throws if the file cannot be created or exists already. If a line cannot be written completely, for example
 * on a full disk, the written part is removed.
 */
export const createRecordingFile = (
  path: string,
  isGzip: boolean = path.endsWith(gzipExtension),
  create: (path: string) => BlockTarget = createFile,
): RecordingFile => new BlockFile(create(path), isGzip, isGzip ? maxBlockMs : 0)

/** Creates a file that has the name of a partial file until `finish`. Throws if the path exists. */
export const createWholeRecording = (path: string): NewRecording => {
  const part = partOf(path)
  checkFree(path)
  rmSync(part, { force: true })
  const file = new BlockFile(createFile(part), path.endsWith(gzipExtension), Infinity)
  return {
    write: (line, done) => file.write(line, done),
    finish: () => {
      file.close()
      checkFree(path)
      renameSync(part, path)
    },
    discard: () => {
      file.discard()
      rmSync(part, { force: true })
    },
  }
}

const checkFree = (path: string): void => {
  if (!existsSync(path)) return
  throw Object.assign(new Error(`EEXIST: file already exists, '${path}'`), { code: 'EEXIST' })
}

type BlockTarget = Pick<AppendedFile, 'size' | 'append' | 'cut' | 'close'>

/** Writes lines in blocks. `maxMs`: how long a line waits for its block; 0 for a block of each line. */
class BlockFile implements RecordingFile {
  private block = ''
  private timer = Subscription.EMPTY
  private failure: Error | undefined
  private isOpen = true
  private readonly blocks: Pick<BlockTarget, 'append'>

  constructor(
    private readonly file: BlockTarget,
    isGzip: boolean,
    private readonly maxMs: number,
  ) {
    this.blocks = isGzip ? new GzipBlocks(file) : file
  }

  get bytes(): number {
    return this.file.size
  }

  write(line: string, done: () => void): void {
    this.block += line
    // The header is a block of its own: an empty file is not a recording.
    if (this.maxMs === 0 || this.bytes === 0 || this.block.length >= blockLength) this.flush()
    else if (this.timer.closed && this.maxMs < Infinity)
      this.timer = delay(systemClock(), this.maxMs, () => this.flush())
    if (this.failure !== undefined) throw this.failure
    done()
  }

  close(): void {
    if (!this.isOpen) return
    if (this.block !== '') this.flush()
    this.discard()
    if (this.failure !== undefined) throw this.failure
  }

  /** Closes the file without the lines that are not written. */
  discard(): void {
    this.timer.unsubscribe()
    if (this.isOpen) this.file.close()
    this.isOpen = false
  }

  /** After a failure, no further line is written: rows would be missing between them. */
  private flush(): void {
    this.timer.unsubscribe()
    try {
      if (this.failure === undefined) this.blocks.append(Buffer.from(this.block))
    } catch (thrown) {
      this.failure = thrown as Error
    }
    this.block = ''
  }
}
