import { right } from 'fp-ts/lib/Either.js'
import type { Address } from '../../../base/domain/address.js'
import { createDepthSide, type DepthSide } from '../../../base/domain/depth.js'
import type { Topic } from '../../../base/domain/topic.js'
import { createPriceRow } from '../format/learned-rows.js'
import type { DepthRow, PriceRow, RecordingHeader, Row } from '../format/row.js'
import type { TimeRange } from '../format/timeline.js'

// A chunk has the lines of a part of a recording: their numbers, then a code for each line, then the texts of the lines that are
// not in columns. A code is 0 for such a text; otherwise it is the index of a series, plus 1.

/** What rows have in common besides their tag. `run`: of the positions; empty if the rows have none. */
export type Series =
  { readonly topic: Topic; readonly epoch: number; readonly run: string } | { readonly mint: Address }

/** The sizes of a chunk, and what decides whether a replay of a part needs it. */
export interface ChunkSummary {
  /** In bytes. */
  readonly length: number
  readonly numbers: number
  readonly lines: number
  /** The earliest and the latest `at` of its rows, in ms since the Unix epoch. */
  readonly first: number
  readonly last: number
  /** True if it has a line that a replay of any part needs, such as a header. */
  readonly isNeeded: boolean
}

/** True if a replay of the range needs no line of the chunk. */
export const isOutside = ({ first, last, isNeeded }: ChunkSummary, { from, to }: TimeRange): boolean =>
  !isNeeded && (last < from || first >= to)

const numbersPerChunk = 2 ** 15
/** In bytes. */
const textPerChunk = 2 ** 18

/** The most numbers of a line: those of a depth. */
const numbersPerLine = 10

/** A code has 16 bits. Each interruption of a connection adds a series for each topic. */
const maxSeries = 2 ** 16 - 1

/** A quantity has two words. */
const wordSize = 2n ** 64n
const maxQuantity = 2n ** 128n

const emptyChunk = { textLength: 0, numbers: 0, lines: 0, first: Infinity, last: -Infinity, isNeeded: false }

/** Collects lines until a chunk is full. */
export class ChunkWriter {
  readonly series: Series[] = []
  /** The number of texts so far, and of rows in columns. */
  textCount = 0
  rowCount = 0
  private readonly numbers = new Float64Array(numbersPerChunk)
  private readonly words = new BigUint64Array(this.numbers.buffer)
  private readonly codes: Uint16Array
  private texts: Uint8Array[] = []
  private chunk = { ...emptyChunk }
  /** The last series of each topic and mint, and its code. */
  private readonly latest = new Map<string, { readonly code: number; readonly series: Series }>()

  constructor(linesPerChunk: number) {
    this.codes = new Uint16Array(linesPerChunk)
  }

  get isFull(): boolean {
    const { numbers, lines, textLength } = this.chunk
    return (
      numbers > numbersPerChunk - numbersPerLine || lines === this.codes.length || textLength >= textPerChunk
    )
  }

  /** Adds a row in the layout of `record`. False if it must be added as a text. */
  addRow(row: PriceRow | DepthRow): boolean {
    const code = row._tag === 'Price' ? this.addPrice(row) : this.addDepth(row)
    if (code === undefined) return false
    this.rowCount++
    this.addLine(code, row.at)
    return true
  }

  /** Adds any line. `line`: the decoded line; `undefined` for an empty one. */
  addText(text: Uint8Array, line: Row | RecordingHeader | undefined): void {
    this.texts.push(text)
    this.textCount++
    this.chunk.textLength += text.length
    this.addNumber(text.length)
    if (line?._tag === 'Recording') this.chunk.isNeeded = true
    this.addLine(0, line === undefined || line._tag === 'Recording' ? NaN : line.at)
  }

  /** Ends the chunk. */
  take(): { readonly bytes: Uint8Array; readonly summary: ChunkSummary } {
    const { textLength, numbers, lines, first, last, isNeeded } = this.chunk
    const bytes = new Uint8Array(8 * numbers + 2 * lines + textLength)
    bytes.set(new Uint8Array(this.numbers.buffer, 0, 8 * numbers))
    bytes.set(new Uint8Array(this.codes.buffer, 0, 2 * lines), 8 * numbers)
    let at = 8 * numbers + 2 * lines
    for (const text of this.texts) {
      bytes.set(text, at)
      at += text.length
    }
    this.texts = []
    this.chunk = { ...emptyChunk }
    const times = first > last ? { first: 0, last: 0, isNeeded: true } : { first, last, isNeeded }
    return { bytes, summary: { length: bytes.length, numbers, lines, ...times } }
  }

  /** The code of the row. */
  private addPrice({ at, topic, event, position }: PriceRow): number | undefined {
    if (event._tag === 'Left') return undefined
    const { epoch, price, receivedAt } = event.right
    const run = position?.run ?? ''
    const known = this.latest.get(topic)
    const isSame =
      known !== undefined &&
      'topic' in known.series &&
      known.series.epoch === epoch &&
      known.series.run === run
    const code = isSame ? known.code : this.learn(topic, { topic, epoch, run })
    if (code === undefined) return undefined
    this.addNumber(at)
    this.addNumber(price)
    this.addNumber(receivedAt)
    if (position !== undefined) this.addNumber(position.count)
    return code
  }

  private addDepth({ at, mint, event }: DepthRow): number | undefined {
    if (event._tag === 'Left') return undefined
    const { price, timestamp, receivedAt, buy, sell } = event.right
    if (buy.totalQuantity >= maxQuantity || sell.totalQuantity >= maxQuantity) return undefined
    const code = this.latest.get(mint)?.code ?? this.learn(mint, { mint })
    if (code === undefined) return undefined
    this.addNumber(at)
    this.addNumber(price)
    this.addNumber(timestamp)
    this.addNumber(receivedAt)
    for (const { totalQuantity, totalQuantityUsd } of [buy, sell]) {
      this.addNumber(totalQuantityUsd)
      // Keeps the lowest 64 bits.
      this.words[this.chunk.numbers++] = totalQuantity
      this.words[this.chunk.numbers++] = totalQuantity / wordSize
    }
    return code
  }

  private addNumber(number: number): void {
    this.numbers[this.chunk.numbers++] = number
  }

  /** `at`: NaN for a line that no range excludes. */
  private addLine(code: number, at: number): void {
    const { chunk } = this
    this.codes[chunk.lines++] = code
    if (at < chunk.first) chunk.first = at
    if (at > chunk.last) chunk.last = at
  }

  /** The code of a new series; `undefined` if there are too many. */
  private learn(name: string, series: Series): number | undefined {
    if (this.series.length === maxSeries) return undefined
    const code = this.series.push(series)
    this.latest.set(name, { code, series })
    return code
  }
}

/** Reads the lines of a chunk, one after the other. */
export class ChunkReader {
  /** The current line in the bytes, if it is a text. */
  start = 0
  end: number
  private readonly numbers: Float64Array
  private readonly words: BigUint64Array
  private readonly codes: Uint16Array
  private line = 0
  private used = 0

  /** The bytes begin at the start of their buffer. `linesBefore`: the number of lines of the recording before the chunk. */
  constructor(
    readonly bytes: Uint8Array,
    { numbers, lines }: ChunkSummary,
    private readonly series: readonly Series[],
    private readonly linesBefore: number,
  ) {
    this.numbers = new Float64Array(bytes.buffer, 0, numbers)
    this.words = new BigUint64Array(bytes.buffer, 0, numbers)
    this.codes = new Uint16Array(bytes.buffer, 8 * numbers, lines)
    this.end = 8 * numbers + 2 * lines
  }

  get isAtEnd(): boolean {
    return this.line === this.codes.length
  }

  /** That of the current line in the recording, from 1. */
  get lineNumber(): number {
    return this.linesBefore + this.line
  }

  /** The next line; `undefined` if it is a text. */
  next(): PriceRow | DepthRow | undefined {
    const series = this.series[(this.codes[this.line++] ?? 0) - 1]
    if (series === undefined) {
      this.start = this.end
      this.end += this.number()
      return undefined
    }
    const at = this.number()
    const price = this.number()
    if ('mint' in series) return this.depth(series.mint, at, price)
    const receivedAt = this.number()
    const { topic, epoch, run } = series
    return createPriceRow(at, topic, price, receivedAt, epoch, run, run === '' ? 0 : this.number())
  }

  private depth(mint: Address, at: number, price: number): DepthRow {
    const timestamp = this.number()
    const receivedAt = this.number()
    const buy = this.side()
    const sell = this.side()
    return { _tag: 'Depth', at, mint, event: right({ mint, price, timestamp, buy, sell, receivedAt }) }
  }

  private side(): DepthSide {
    const totalQuantityUsd = this.number()
    const low = this.words[this.used++] ?? 0n
    const high = this.words[this.used++] ?? 0n
    const totalQuantity = high === 0n ? low : high * wordSize + low
    return createDepthSide({ totalQuantity, totalQuantityUsd })
  }

  private number(): number {
    return this.numbers[this.used++] ?? NaN
  }
}
