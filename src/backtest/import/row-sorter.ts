import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import TinyQueue from 'tinyqueue'

/** A row of the sorter. The same object is used for each row. */
export interface SortedRow {
  /** In whole ms since the Unix epoch. */
  at: number
  value: number
  /** A number of 32 bits. */
  tag: number
  /** At most `maxTextLength` characters of Latin 1. */
  text: string
}

/** Length of a row without its text, in bytes: `at`, `value`, `tag`, and the length of the text. */
const rowBytes = 8 + 8 + 4 + 2

/** The longest text of a row, in characters. */
export const maxTextLength = 1024

/** The limits of the rows in memory. */
const maxBytes = 2 ** 23
/** The index of a row in a run has this many bits. */
const indexBits = 20
const maxRows = 2 ** indexBits

export interface SorterOptions {
  /** The bytes of a run in memory. A smaller number is for tests. */
  readonly runBytes?: number
  /** Called for the rows of each run, in order. */
  readonly onRun?: (rows: Iterable<SortedRow>) => void
}

/**
 * Sorts rows by time; rows of one ms keep their order. Rows are collected in a run, which is sorted when it is full, and
 * appended to a file in a temporary folder. The runs are then merged. So memory does not grow with the number of rows.
 */
export class RowSorter {
  rows = 0
  private run: Run
  private spare: Run
  /** The parts of the file: the positions of the ends of the runs. */
  private readonly ends: number[] = []
  private file: { readonly descriptor: number; readonly folder: string } | undefined
  private readonly onRun: (rows: Iterable<SortedRow>) => void

  constructor({ runBytes = maxBytes, onRun = () => undefined }: SorterOptions = {}) {
    this.run = new Run(runBytes)
    this.spare = new Run(runBytes)
    this.onRun = onRun
  }

  add(at: number, value: number, tag: number, text = ''): void {
    if (!this.run.hasSpace(text)) this.spill()
    this.run.add(at, value, tag, text)
    this.rows++
  }

  /** All rows in order. May be read several times, when no row is added any more. */
  *sorted(): Generator<SortedRow, void> {
    this.seal()
    if (this.run.isEmpty && this.ends.length === 0) return
    const { file } = this
    const blockBytes = Math.min(
      maxBlockBytes,
      Math.max(minBlockBytes, Math.floor(maxBytes / this.ends.length)),
    )
    const cursors = [
      ...this.ends.map(
        (end, index) => new FileCursor(file?.descriptor ?? -1, this.ends[index - 1] ?? 0, end, blockBytes),
      ),
      new RunCursor(this.run.bytes, this.run.end),
    ]
    const queue = new TinyQueue<MergedRun>(
      [],
      (a, b) => a.cursor.row.at - b.cursor.row.at || a.index - b.index,
    )
    for (const [index, cursor] of cursors.entries()) if (cursor.next()) queue.push({ cursor, index })
    for (let first = queue.pop(); first !== undefined; first = queue.pop()) {
      // Files are often in order: the rows of a run up to the first one of another run need no queue.
      const second = queue.peek()
      const limit = second?.cursor.row.at ?? Infinity
      const isBefore = first.index < (second?.index ?? Infinity)
      let hasNext = true
      while (hasNext && (first.cursor.row.at < limit || (isBefore && first.cursor.row.at === limit))) {
        yield first.cursor.row
        hasNext = first.cursor.next()
      }
      if (hasNext) queue.push(first)
    }
  }

  /** Removes the temporary folder. */
  close(): void {
    if (this.file === undefined) return
    closeSync(this.file.descriptor)
    rmSync(this.file.folder, { recursive: true, force: true })
    this.file = undefined
  }

  private spill(): void {
    this.seal()
    if (this.file === undefined) {
      const folder = mkdtempSync(join(tmpdir(), 'svc-streams-import-'))
      this.file = { folder, descriptor: openSync(join(folder, 'runs'), 'w+') }
    }
    const position = this.ends.at(-1) ?? 0
    const { bytes, end } = this.run
    for (let from = 0; from < end;)
      from += writeSync(this.file.descriptor, bytes, from, end - from, position + from)
    this.ends.push(position + end)
    this.run.clear()
  }

  /** Sorts the rows in memory. */
  seal(): void {
    if (this.run.isSealed) return
    if (!this.run.isInOrder) {
      this.run.copySorted(this.spare)
      ;[this.run, this.spare] = [this.spare, this.run]
    }
    this.run.isSealed = true
    this.onRun(rowsOf(new RunCursor(this.run.bytes, this.run.end)))
  }
}

interface MergedRun {
  readonly cursor: RunCursor
  /** Of rows of one ms, those of an earlier run are first. */
  readonly index: number
}

function* rowsOf(cursor: RunCursor): Generator<SortedRow, void> {
  while (cursor.next()) yield cursor.row
}

/** Rows in memory, as bytes. */
class Run {
  readonly bytes: Buffer
  readonly view: DataView
  end = 0
  isInOrder = true
  /** True when no row is added any more. */
  isSealed = false
  private count = 0
  private lastAt = -Infinity
  private readonly starts: Uint32Array

  constructor(bytes: number) {
    this.bytes = Buffer.alloc(bytes + rowBytes + maxTextLength)
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset)
    this.starts = new Uint32Array(Math.min(maxRows, Math.ceil(bytes / rowBytes) + 1))
  }

  get isEmpty(): boolean {
    return this.count === 0
  }

  hasSpace(text: string): boolean {
    const { end, bytes, count, starts } = this
    return count < starts.length && end + rowBytes + text.length <= bytes.length
  }

  add(at: number, value: number, tag: number, text: string): void {
    const { view, end } = this
    if (at < this.lastAt) this.isInOrder = false
    this.lastAt = at
    this.starts[this.count++] = end
    view.setFloat64(end, at)
    view.setFloat64(end + 8, value)
    view.setUint32(end + 16, tag)
    view.setUint16(end + 20, text.length)
    if (text !== '') this.bytes.write(text, end + rowBytes, 'latin1')
    this.end = end + rowBytes + text.length
  }

  clear(): void {
    this.end = 0
    this.count = 0
    this.isInOrder = true
    this.isSealed = false
    this.lastAt = -Infinity
  }

  /** Keys of 64 bits, the time and then the index, sort natively, and without a comparison function. */
  copySorted(to: Run): void {
    const { count, view, starts, bytes } = this
    const keys = new BigUint64Array(count)
    const words = new Uint32Array(keys.buffer)
    for (let index = 0; index < count; index++) {
      const at = view.getFloat64(starts[index] ?? 0)
      words[2 * index + low] = (at % lowTimes) * maxRows + index
      words[2 * index + 1 - low] = Math.floor(at / lowTimes)
    }
    keys.sort()
    to.clear()
    for (let sorted = 0; sorted < count; sorted++) {
      const start = starts[(words[2 * sorted + low] ?? 0) % maxRows] ?? 0
      const end = start + rowBytes + view.getUint16(start + 20)
      to.starts[sorted] = to.end
      bytes.copy(to.bytes, to.end, start, end)
      to.end += end - start
    }
    to.count = count
  }
}

/** The index of the low word of a number of 64 bits. */
const low = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1

/** The number of times that the low word has, beside the index. */
const lowTimes = 2 ** (32 - indexBits)

/** Reads the rows of a run from bytes. */
class RunCursor {
  /** The current row, until the next call of `next`. */
  readonly row: SortedRow = { at: 0, value: 0, tag: 0, text: '' }
  protected start = 0

  constructor(
    protected readonly bytes: Buffer,
    protected end: number,
    protected readonly view = new DataView(bytes.buffer, bytes.byteOffset),
  ) {}

  /** Moves to the next row. Returns false at the end. */
  next(): boolean {
    const { row, start, view } = this
    if (start >= this.end) return false
    const textLength = view.getUint16(start + 20)
    this.start = start + rowBytes + textLength
    row.at = view.getFloat64(start)
    row.value = view.getFloat64(start + 8)
    row.tag = view.getUint32(start + 16)
    row.text = textLength === 0 ? '' : this.bytes.toString('latin1', start + rowBytes, this.start)
    return true
  }
}

/** The bytes that are read at once. More than any row has; all blocks together are about as large as a run. */
const minBlockBytes = 2 ** 12
const maxBlockBytes = 2 ** 17

/** Reads the rows of one part of the file, block by block. */
class FileCursor extends RunCursor {
  constructor(
    private readonly descriptor: number,
    private position: number,
    private readonly last: number,
    blockBytes: number,
  ) {
    super(Buffer.alloc(Math.min(blockBytes, last - position)), 0)
  }

  override next(): boolean {
    if (!this.isWhole()) this.fill()
    return super.next()
  }

  /** True if the next row is in memory. */
  private isWhole(): boolean {
    const rest = this.end - this.start
    return rest >= rowBytes && rest >= rowBytes + this.view.getUint16(this.start + 20)
  }

  private fill(): void {
    this.bytes.copyWithin(0, this.start, this.end)
    this.end -= this.start
    this.start = 0
    while (this.end < this.bytes.length && this.position < this.last) {
      const wanted = Math.min(this.bytes.length - this.end, this.last - this.position)
      const read = readSync(this.descriptor, this.bytes, this.end, wanted, this.position)
      if (read === 0) throw new Error('the temporary file of the import was cut')
      this.end += read
      this.position += read
    }
  }
}
