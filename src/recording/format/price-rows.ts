import { right } from 'fp-ts/lib/Either.js'
import { ByteTable } from '../../codec/fast-path/byte-table.js'
import { ByteText, exactDigits, nine, point, powersOfTen, zero } from '../../codec/fast-path/bytes.js'
import { latin1Of } from '../../domain/bytes.js'
import { isPriceValue } from '../../domain/valid-numbers.js'
import type { Topic } from '../../domain/topic.js'
import type { PriceRow, RecordingHeader, Row } from './row.js'
import { maxTime } from '../../domain/valid-numbers.js'

const brace = 0x7d
const lineEnd = 0x0a

// The texts around the numbers of a row, as `record` writes it.
const beforeAt = new ByteText('{"_tag":"Price","at":')
const beforePrice = (topic: string): string =>
  `,"topic":"${topic}","event":{"_tag":"Right","right":{"topic":"${topic}","price":`
const beforeReceivedAt = new ByteText(',"receivedAt":')
const beforeEpoch = new ByteText(',"epoch":')

/** The start of such a row. The group is the topic: no character of it is escaped. */
const startPattern = /^\{"_tag":"Price","at":[\d.]+,"topic":"([\w-]+)"/

/** Topics of more lengths take the slow path. In a recording all have the same length. */
const maxLengths = 4

/**
 * Recognises the rows of prices in the layout in which `record` writes them, by their bytes. `learn` stores the topic of a
 * row that the slow path has decoded. `recognise` reads the numbers of a later row of the topic, and compares all other
 * bytes. Any other row takes the slow path, which also makes the errors.
 *
 * Why it is correct: by the grammar of JSON, a recognised row is an object with exactly these fields, without duplicate
 * keys and escapes, and its topic is one that the slow path has accepted. Its numbers are those that `JSON.parse` returns,
 * because the quotient of an exact integer and an exact power of ten is rounded once. They are checked as on the slow path.
 */
export class PriceRows {
  /** By the bytes between the time and the price. */
  private readonly topics = new ByteTable<Topic>()
  /** The lengths of these bytes. */
  private readonly lengths: number[] = []
  private bytes: Uint8Array = new Uint8Array()
  private view = new DataView(this.bytes.buffer)
  /** The next byte. */
  private at = 0

  /** The index after the last recognised row and its line end. */
  get end(): number {
    return this.at
  }

  /** `line`: the text of the row. */
  learn(line: string, { topic }: PriceRow): void {
    if (startPattern.exec(line)?.[1] !== topic) return
    const bytes = new TextEncoder().encode(beforePrice(topic))
    if (!this.lengths.includes(bytes.length)) {
      if (this.lengths.length === maxLengths) return
      this.lengths.push(bytes.length)
    }
    const view = new DataView(bytes.buffer)
    if (this.topics.find(view, 0, bytes.length) === undefined) this.topics.add(view, topic)
  }

  /** The row that starts at an index of the bytes; `undefined` if it is not recognised. */
  recognise(bytes: Uint8Array, start: number): PriceRow | undefined {
    if (bytes !== this.bytes) {
      this.bytes = bytes
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    this.at = start
    if (!this.skip(beforeAt)) return undefined
    const at = this.readNumber()
    const topic = this.readTopic()
    if (topic === undefined) return undefined
    const price = this.readNumber()
    if (!this.skip(beforeReceivedAt)) return undefined
    const receivedAt = this.readNumber()
    if (!this.skip(beforeEpoch)) return undefined
    const epoch = this.readNumber()
    if (!this.skipEnd()) return undefined
    // NaN, which is no number in the form that is read here, is rejected too.
    if (!(at <= maxTime && receivedAt < Infinity && epoch < Infinity && isPriceValue(price))) return undefined
    return { _tag: 'Price', at, topic, event: right({ topic, price, receivedAt, epoch }) }
  }

  private skip(text: ByteText): boolean {
    if (!text.isAt(this.view, this.at)) return false
    this.at += text.length
    return true
  }

  private skipEnd(): boolean {
    const { bytes, at } = this
    this.at += 4
    return (
      bytes[at] === brace && bytes[at + 1] === brace && bytes[at + 2] === brace && bytes[at + 3] === lineEnd
    )
  }

  private readTopic(): Topic | undefined {
    for (const length of this.lengths) {
      if (this.at + length > this.bytes.length) continue
      const topic = this.topics.find(this.view, this.at, length)
      if (topic === undefined) continue
      this.at += length
      return topic
    }
    return undefined
  }

  /** Reads a number of JSON without a sign and an exponent. Returns NaN if there is none. */
  private readNumber(): number {
    const { bytes, at: start } = this
    let at = start
    let integer = 0
    let pointAt = -1
    for (; ; at++) {
      const byte = bytes[at] ?? 0
      if (byte >= zero && byte <= nine) integer = 10 * integer + (byte - zero)
      else if (byte === point && pointAt < 0) pointAt = at
      else break
    }
    this.at = at
    const integerEnd = pointAt < 0 ? at : pointAt
    const decimals = pointAt < 0 ? 0 : at - pointAt - 1
    // JSON requires a digit on both sides of the point, and forbids leading zeros.
    if (integerEnd === start || pointAt === at - 1) return NaN
    if (integerEnd > start + 1 && bytes[start] === zero) return NaN
    if (integerEnd - start + decimals > exactDigits) return Number(latin1Of(bytes.subarray(start, at)))
    return integer / (powersOfTen[decimals] ?? 1)
  }
}

/**
 * The text of a price row, without `JSON.stringify`, which takes several times as long with a replacer. `undefined` for
 * any row whose text may differ from this layout: another order of fields, other fields, characters that are escaped,
 * numbers that JSON lacks.
 */
export const priceRowText = (row: Row | RecordingHeader): string | undefined => {
  if (row._tag !== 'Price' || !hasExactly(row, rowFields)) return undefined
  const { at, topic, event } = row
  if (!hasExactly(event, eventFields) || event._tag !== 'Right' || !isPlainNumber(at)) return undefined
  const price = event.right
  if (!hasExactly(price, priceFields)) return undefined
  const { receivedAt, epoch } = price
  if (!isPlainNumber(price.price) || !isPlainNumber(receivedAt) || !isPlainNumber(epoch)) return undefined
  if (!isPlainText(topic) || (price.topic !== topic && !isPlainText(price.topic))) return undefined
  return (
    `{"_tag":"Price","at":${at},"topic":"${topic}","event":{"_tag":"Right","right":` +
    `{"topic":"${price.topic}","price":${price.price},"receivedAt":${receivedAt},"epoch":${epoch}}}}`
  )
}

const rowFields = ['_tag', 'at', 'topic', 'event']
const eventFields = ['_tag', 'right']
const priceFields = ['topic', 'price', 'receivedAt', 'epoch']

/** True for an object with these fields in this order, and without a `toJSON`. */
const hasExactly = (value: object, fields: readonly string[]): boolean => {
  let count = 0
  for (const field in value) {
    if (field !== fields[count]) return false
    count += 1
  }
  return count === fields.length && Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
}

const isPlainNumber = (value: number): boolean => Number.isFinite(value) && !Object.is(value, -0)

/** ASCII without quotes, backslashes and control characters. */
const plainText = /^[ !#-[\]-~]*$/

const isPlainText = (value: unknown): boolean => typeof value === 'string' && plainText.test(value)
