import { renameSync, rmSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import * as zlib from 'node:zlib'
import { systemClock } from '../../../base/time/system-clock.js'
import { lockFile } from '../files/file-lock.js'
import { createFile, fileSize, partOf, readFileEnds, readFilePart, type NewFile } from '../files/files.js'
import type { TimeRange } from '../format/timeline.js'
import { gzipStart } from '../read/source.js'
import type { Columns, ColumnsReading, ColumnsWriting } from './columns.js'
import { ChunkReader, ChunkWriter, isOutside, type ChunkSummary, type Series } from './chunk.js'

interface ColumnsLimits {
  /** Shorter recordings are decoded in less time than a user notices. In bytes. */
  readonly minLength: number
  readonly minGzipLength: number
  /** A recording that was changed since then may still be written to, and its times may not show the next change. In ms. */
  readonly settledAge: number
  readonly linesPerChunk: number
}

const defaultLimits: ColumnsLimits = {
  minLength: 2 ** 24,
  minGzipLength: 2 ** 21,
  settledAge: 2_000,
  linesPerChunk: 2 ** 14,
}

/** Names the format and the order of the bytes of a number. The version changes with the rows that a recording is decoded to. */
const format = `svc-streams columns 1 ${new Uint8Array(new Uint16Array([1]).buffer).join('')}`

/** The first row of each topic is a text. */
const textsAtStart = 2 ** 10

/** Length and checksum of the summary, at the end of the file. */
const footerLength = 8

/** Follows the chunks of a file, as JSON. */
interface Summary {
  readonly format: string
  readonly recording: string
  readonly series: readonly Series[]
  readonly chunks: readonly (ChunkSummary & { readonly crc: number })[]
}

/** `undefined` in a runtime without it. */
const { crc32 } = zlib as { readonly crc32?: (bytes: Uint8Array, start?: number) => number }

/** The columns of a file: beside it, or for a while in another place. */
export const columnsOf = (recording: string | URL, place?: string, limits = defaultLimits): Columns => {
  const pathOf = () => place ?? columnsPath(recording)
  const version = () => versionOf(recording, limits)

  const read = async (): Promise<ColumnsReading | undefined> => {
    const text = await version()
    const path = pathOf()
    const summary = text === undefined ? undefined : await readSummary(path)
    if (summary?.format !== format || summary.recording !== text) return undefined
    return {
      chunks: (range) => readChunks(path, summary, range),
      isCurrent: async () => (await orUndefined(version)) === text,
    }
  }

  const write = async (): Promise<ColumnsWriting | undefined> => {
    const { mtimeMs, ctimeMs, mode } = await stat(recording)
    const age = systemClock().wallClock() - Math.max(mtimeMs, ctimeMs)
    const text = await version()
    if (text === undefined || (place === undefined && age < limits.settledAge)) return undefined
    const path = pathOf()
    const { release } = lockFile(lockOf(path))
    return new NewColumns(path, mode & 0o666, text, version, release, limits.linesPerChunk)
  }

  return { read: () => orUndefined(read), write: () => orUndefined(write) }
}

const columnsPath = (recording: string | URL): string =>
  `${recording instanceof URL ? fileURLToPath(recording) : recording}.columns`

/** One process writes the columns. That of a process that was killed is replaced. */
const lockOf = (path: string): string => `${path}.lock`

/** Removes the columns beside a recording, with the files that a killed process left. Never rejects. */
export const removeColumns = async (recording: string): Promise<void> => {
  const path = columnsPath(recording)
  for (const each of [path, partOf(path), lockOf(path)]) await orUndefined(() => rm(each, { force: true }))
}

const orUndefined = async <A>(work: () => Promise<A>): Promise<A | undefined> => {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/** What changes with the content of a recording. `undefined` for one without columns: a short one, or a pipe. */
const versionOf = async (
  path: string | URL,
  { minLength, minGzipLength }: ColumnsLimits,
): Promise<string | undefined> => {
  const before = await stat(path)
  if (!before.isFile() || before.size < minGzipLength || crc32 === undefined) return undefined
  const [head, tail] = await readFileEnds(path, before.size)
  if (before.size < minLength && head[0] !== gzipStart) return undefined
  const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true })
  return [size, mtimeNs, ctimeNs, ino, crc32(tail, crc32(head))].join(' ')
}

const readSummary = async (path: string): Promise<Summary> => {
  const end = (await fileSize(path)) - footerLength
  const footer = new DataView((await checkedPart(path, end, footerLength)).buffer)
  const length = footer.getUint32(0)
  const bytes = await checkedPart(path, end - length, length, footer.getUint32(4))
  return JSON.parse(new TextDecoder().decode(bytes)) as Summary
}

async function* readChunks(path: string, { chunks, series }: Summary, range: TimeRange) {
  let position = 0
  let lineNumber = 0
  for (const chunk of chunks) {
    if (!isOutside(chunk, range)) {
      const bytes = await checkedPart(path, position, chunk.length, chunk.crc)
      yield new ChunkReader(bytes, chunk, series, lineNumber)
    }
    position += chunk.length
    lineNumber += chunk.lines
  }
}

/** Rejects if the file has not so many bytes, or they have another checksum. */
const checkedPart = async (path: string, position: number, length: number, crc?: number) => {
  const bytes = position < 0 ? undefined : await readFilePart(path, position, length)
  if (bytes?.length !== length || (crc !== undefined && crc32?.(bytes) !== crc))
    throw new Error('the columns are damaged')
  return bytes
}

class NewColumns implements ColumnsWriting {
  private readonly writer: ChunkWriter
  private readonly chunks: Summary['chunks'][number][] = []
  private file: NewFile | undefined
  private position = 0
  /** True once the columns are complete or discarded. */
  private isOver = false

  /** `recording`: its version. */
  constructor(
    private readonly path: string,
    private readonly mode: number,
    private readonly recording: string,
    private readonly version: () => Promise<string | undefined>,
    private readonly release: () => void,
    linesPerChunk: number,
  ) {
    this.writer = new ChunkWriter(linesPerChunk)
  }

  readonly add: ColumnsWriting['add'] = (row, line, bytes, start, end) => {
    if (this.isOver) return
    const { writer } = this
    if (row === undefined || !writer.addRow(row)) writer.addText(bytes.slice(start, end), line)
    if (!writer.isFull) return
    // Columns of texts save no time.
    if (writer.textCount > writer.rowCount + textsAtStart) this.discard()
    else this.attempt(() => this.writeChunk())
  }

  async finish(): Promise<void> {
    const { recording } = this
    const isSame = (await orUndefined(this.version)) === recording
    if (!isSame) this.discard()
    if (this.isOver) return
    this.attempt(() => {
      this.writeChunk()
      const { series } = this.writer
      const summary: Summary = { format, recording, series, chunks: this.chunks }
      const bytes = new TextEncoder().encode(JSON.stringify(summary))
      const footer = new DataView(new ArrayBuffer(footerLength))
      footer.setUint32(0, bytes.length)
      footer.setUint32(4, crc32?.(bytes) ?? 0)
      this.append(bytes)
      this.append(new Uint8Array(footer.buffer))
      renameSync(partOf(this.path), this.path)
      this.isOver = true
      this.file?.close()
      this.release()
    })
  }

  discard(): void {
    if (this.isOver) return
    this.isOver = true
    try {
      this.file?.close()
      rmSync(partOf(this.path), { force: true })
      this.release()
    } catch {
      // Nothing can be written or removed there.
    }
  }

  private writeChunk(): void {
    const { bytes, summary } = this.writer.take()
    this.append(bytes)
    this.chunks.push({ ...summary, crc: crc32?.(bytes) ?? 0 })
  }

  private append(bytes: Uint8Array): void {
    this.file ??= this.createFile()
    this.file.write(bytes, this.position)
    this.position += bytes.length
  }

  private createFile(): NewFile {
    const part = partOf(this.path)
    rmSync(part, { force: true })
    return createFile(part, this.mode)
  }

  private attempt(work: () => void): void {
    try {
      work()
    } catch {
      this.discard()
    }
  }
}
