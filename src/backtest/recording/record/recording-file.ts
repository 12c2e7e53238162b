import { existsSync, renameSync, rmSync } from 'node:fs'
import { createFile, partOf, type NewFile } from '../files/files.js'
import { Gzip } from '../files/gzip.js'
import type { LineWriter } from './line-recorder.js'
import type { NewRecording } from './write-recording.js'

/** A new file that receives the lines of a recording. */
export interface RecordingFile extends LineWriter {
  /** Length of the file, in bytes. */
  readonly bytes: number
  readonly close: () => void
}

/** A path that ends in this is compressed, unless the caller decides otherwise. */
export const gzipExtension = '.gz'

/**
 * Creates a file, and writes each line synchronously: a killed process loses no line. A gzip file is also complete
 * after each line, because each line overwrites the trailer and adds a new trailer. Throws if the file cannot be
 * created or exists already: a recording is never overwritten. If a line cannot be written completely, for example on a
 * full disk, the written part is removed.
 */
export const createRecordingFile = (
  path: string,
  isGzip: boolean = path.endsWith(gzipExtension),
  create: (path: string) => NewFile = createFile,
  bufferBytes = bufferLength,
): RecordingFile => {
  const file = create(path)
  const writeLine = isGzip ? gzipWriter(file) : plainWriter(file, bufferBytes)
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    write: (line, done) => {
      try {
        bytes = writeLine(line)
      } catch (thrown) {
        done(thrown as Error)
        return
      }
      done()
    },
    close: () => file.close(),
  }
}

/** Appends a line. Returns the length of the file, in bytes. */
type WriteLine = (line: string) => number

/** In UTF-16 code units. Lines are written together: the file is of no use before it is complete. */
const blockLength = 2 ** 15

/** Creates a file that has the name of a partial file until `finish`. Throws if the path exists. */
export const createWholeRecording = (path: string): NewRecording => {
  const part = partOf(path)
  checkFree(path)
  rmSync(part, { force: true })
  const file = createRecordingFile(
    part,
    path.endsWith(gzipExtension),
    createFile,
    2 * blockLength * maxBytesPerUnit,
  )
  let block = ''
  const writeBlock = (): void => {
    file.write(block, (error) => {
      if (error !== undefined && error !== null) throw error
    })
    block = ''
  }
  let isOpen = true
  const close = (): void => {
    if (isOpen) file.close()
    isOpen = false
  }
  return {
    write: (line, done) => {
      block += line
      if (block.length >= blockLength) writeBlock()
      done()
    },
    finish: () => {
      writeBlock()
      close()
      checkFree(path)
      renameSync(part, path)
    },
    discard: () => {
      close()
      rmSync(part, { force: true })
    },
  }
}

const checkFree = (path: string): void => {
  if (!existsSync(path)) return
  throw Object.assign(new Error(`EEXIST: file already exists, '${path}'`), { code: 'EEXIST' })
}

const plainWriter = (file: NewFile, bufferBytes: number): WriteLine => {
  const buffer = Buffer.allocUnsafe(bufferBytes)
  let end = 0
  return (line) => {
    const isShort = line.length * maxBytesPerUnit <= buffer.length
    const data = isShort ? buffer : Buffer.from(line)
    const length = isShort ? buffer.write(line) : data.length
    try {
      file.write(data, end, length)
    } catch (thrown) {
      file.cut(end)
      throw thrown
    }
    end += length
    return end
  }
}

const gzipWriter = (file: NewFile): WriteLine => {
  const gzip = new Gzip()
  /** Where the next line starts. */
  let end = 0
  let lastTrailer: Uint8Array = new Uint8Array()
  return (line) => {
    const { data, trailer } = gzip.compress(Buffer.from(line))
    try {
      file.write(Buffer.concat([data, trailer]), end)
    } catch (thrown) {
      file.cut(end)
      file.write(lastTrailer, end)
      throw thrown
    }
    lastTrailer = trailer
    end += data.length
    return end + trailer.length
  }
}

/** Length of the buffer of a file, in bytes. Each longer line gets a buffer of its own. */
const bufferLength = 16_384

/** Maximum length of a UTF-16 code unit in UTF-8, in bytes. */
const maxBytesPerUnit = 3
