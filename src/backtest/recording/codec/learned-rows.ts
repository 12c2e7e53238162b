import { right } from 'fp-ts/lib/Either.js'
import {
  multiplyHash,
  wordSize,
  exactDigits,
  point,
  powersOfTen,
  zero,
} from '../../../wire/codec/fast-path.js'
import { isCount, type PricePosition } from '../../../base/domain/past.js'
import type { Address, Topic } from '../../../base/domain/topic.js'
import { latin1Of } from '../../../base/domain/bytes.js'
import type { DepthSide } from '../../../base/domain/depth.js'
import { createDepthSide } from '../../../wire/codec/depth.js'
import { isPriceValue } from '../../../base/domain/valid-numbers.js'
import { isEpoch, isRecordedTime, isValueTime } from './times.js'
import type { DepthRow, PriceRow, Row } from './row.js'

/**
 * A text to compare with bytes: at least eight ASCII characters. A word is compared as one double. Two doubles are equal
 * exactly if their bytes are equal, except for zero and NaN, which no eight ASCII characters are.
 */
class ByteText {
  readonly length: number
  private readonly words: Float64Array

  constructor(text: string) {
    this.length = text.length
    const bytes = new DataView(new TextEncoder().encode(text).buffer)
    this.words = new Float64Array(Math.ceil(this.length / wordSize))
    for (let index = 0; index < this.words.length; index++) {
      this.words[index] = bytes.getFloat64(Math.min(index * wordSize, this.length - wordSize), true)
    }
  }

  /** True if the bytes from `start` on begin with the text. */
  isAt(bytes: DataView, start: number): boolean {
    const last = start + this.length - wordSize
    if (last + wordSize > bytes.byteLength) return false
    let index = 0
    for (let from = start; from < last; from += wordSize) {
      if (this.words[index++] !== bytes.getFloat64(from, true)) return false
    }
    return this.words[index] === bytes.getFloat64(last, true)
  }
}

// The texts around the numbers of a row, as `record` writes it.
const beforePriceTime = new ByteText('{"_tag":"Price","at":')
const beforeDepthTime = new ByteText('{"_tag":"Depth","at":')
const beforePrice = (topic: string): string =>
  `,"topic":"${topic}","event":{"_tag":"Right","right":{"topic":"${topic}","price":`
const beforeMidpoint = (mint: string): string =>
  `,"mint":"${mint}","event":{"_tag":"Right","right":{"mint":"${mint}","price":`
const beforeReceivedAt = new ByteText(',"receivedAt":')
const beforeEpoch = new ByteText(',"epoch":')
const beforeCount = ({ run }: PricePosition): string => `}},"position":{"run":"${run}","count":`
const beforeTimestamp = new ByteText(',"timestamp":')
const beforeBuyQuantity = new ByteText(',"buy":{"totalQuantity":"')
const beforeSellQuantity = new ByteText('},"sell":{"totalQuantity":"')
const beforeUsd = new ByteText('","totalQuantityUsd":')
const afterSides = new ByteText('},"receivedAt":')

/** The start of such a row. The group is the topic or the mint: no character of it is escaped. */
const startPattern = /^\{"_tag":"(?:Price","at":[\d.]+,"topic|Depth","at":[\d.]+,"mint)":"([\w-]+)"/

/** A topic, and the run of its last row that was learned. */
interface LearnedTopic {
  readonly topic: Topic
  readonly run: string
  /** The text before the count of a position in this run. */
  readonly beforeCount: ByteText | undefined
}

/**
 * Recognises the rows that `record` writes by their bytes. `learn` stores the topic with its run, or the mint, of a row that the slow
 * path has decoded. `recognise` reads the numbers of a later row of it, and compares all other bytes. Any other row takes the slow path.
 *
 * Why it is correct: by the grammar of JSON, a recognised row is an object with exactly these fields, without duplicate
 * keys and escapes. The slow path has accepted its topic or mint. Its numbers are checked as on the slow path.
 */
export class LearnedRows {
  /** By the bytes between the time and the price. */
  private readonly topics = new KnownTexts<LearnedTopic>()
  private readonly mints = new KnownTexts<Address>()
  private readonly line = new RowBytes()

  /** The index after the last recognised row and its line end. */
  get end(): number {
    return this.line.at
  }

  /** `text`: the line of the row. */
  learn(text: string, row: Row): void {
    const name = startPattern.exec(text)?.[1]
    if (row._tag === 'Price' && row.topic === name) {
      const { topic, position } = row
      const before = position && new ByteText(beforeCount(position))
      this.topics.add(beforePrice(name), { topic, run: position?.run ?? '', beforeCount: before })
    }
    if (row._tag === 'Depth' && row.mint === name) this.mints.add(beforeMidpoint(name), row.mint)
  }

  /** The row that starts at an index of the bytes; `undefined` if it is not recognised. */
  recognise(bytes: Uint8Array, start: number): PriceRow | DepthRow | undefined {
    const { line } = this
    line.startAt(bytes, start)
    if (line.skip(beforePriceTime)) return this.readPriceRow()
    return line.skip(beforeDepthTime) ? this.readDepthRow() : undefined
  }

  /** Any comparison with NaN, which stands for a missing number and for one in another form, is false. */
  private readPriceRow(): PriceRow | undefined {
    const { line } = this
    const at = line.readNumber()
    const learned = line.readKnown(this.topics)
    if (learned === undefined) return undefined
    const { topic, run, beforeCount } = learned
    const price = line.readNumber()
    const receivedAt = line.readNumberAfter(beforeReceivedAt)
    const epoch = line.readNumberAfter(beforeEpoch)
    if (!(isRecordedTime(at) && isValueTime(receivedAt) && isEpoch(epoch) && isPriceValue(price)))
      return undefined
    const event = right({ topic, price, receivedAt, epoch })
    if (beforeCount === undefined || !line.skip(beforeCount))
      return line.skipEnd(3) ? { _tag: 'Price', at, topic, event } : undefined
    const count = line.readNumber()
    return line.skipEnd(2) && isCount(count)
      ? { _tag: 'Price', at, topic, event, position: { run, count } }
      : undefined
  }

  private readDepthRow(): DepthRow | undefined {
    const { line } = this
    const at = line.readNumber()
    const mint = line.readKnown(this.mints)
    if (mint === undefined) return undefined
    const price = line.readNumber()
    const timestamp = line.readNumberAfter(beforeTimestamp)
    const buy = this.readSide(beforeBuyQuantity)
    const sell = buy && this.readSide(beforeSellQuantity)
    const receivedAt = line.readNumberAfter(afterSides)
    if (buy === undefined || sell === undefined || !line.skipEnd(3)) return undefined
    if (!(isRecordedTime(at) && isValueTime(receivedAt) && isValueTime(timestamp) && isPriceValue(price)))
      return undefined
    return { _tag: 'Depth', at, mint, event: right({ mint, price, timestamp, buy, sell, receivedAt }) }
  }

  private readSide(before: ByteText): DepthSide | undefined {
    const { line } = this
    const totalQuantity = line.skip(before) ? line.readInteger() : undefined
    if (totalQuantity === undefined) return undefined
    const totalQuantityUsd = line.readNumberAfter(beforeUsd)
    return totalQuantityUsd < Infinity ? createDepthSide({ totalQuantity, totalQuantityUsd }) : undefined
  }
}

const brace = 0x7d
const lineEnd = 0x0a

/**
 * Reads the parts of a line of JSON from its bytes, one after the other. Its numbers are those that `JSON.parse` returns,
 * because the quotient of an exact integer and an exact power of ten is rounded once.
 */
class RowBytes {
  /** The index of the next byte. */
  at = 0
  private bytes: Uint8Array = new Uint8Array()
  private view = new DataView(this.bytes.buffer)
  private readonly word = new DataView(new ArrayBuffer(8))

  startAt(bytes: Uint8Array, start: number): void {
    this.at = start
    if (bytes === this.bytes) return
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** True if the text follows. */
  skip(text: ByteText): boolean {
    if (!text.isAt(this.view, this.at)) return false
    this.at += text.length
    return true
  }

  /** True if the line ends here, with this number of closing braces. */
  skipEnd(braces: number): boolean {
    for (let count = 0; count < braces; count++) if (this.bytes[this.at++] !== brace) return false
    return this.bytes[this.at++] === lineEnd
  }

  readKnown<Value>(texts: KnownTexts<Value>): Value | undefined {
    const known = texts.find(this.view, this.at)
    if (known !== undefined) this.at += known.text.length
    return known?.value
  }

  /** The number after the text. Returns NaN if they do not follow. */
  readNumberAfter(text: ByteText): number {
    return this.skip(text) ? this.readNumber() : NaN
  }

  /** Reads a number of JSON without a sign and an exponent. Returns NaN if there is none. */
  readNumber(): number {
    const { bytes, at: start } = this
    const integer = this.readDigits()
    const integerEnd = this.at
    // JSON requires a digit on both sides of the point, and forbids leading zeros.
    if (integerEnd === start || (integerEnd > start + 1 && bytes[start] === zero)) return NaN
    if (bytes[integerEnd] !== point) return integerEnd - start > exactDigits ? this.numberAt(start) : integer
    this.at++
    const fraction = this.readDigits()
    const decimals = this.at - integerEnd - 1
    if (decimals === 0) return NaN
    if (integerEnd - start + decimals > exactDigits) return this.numberAt(start)
    const power = powersOfTen[decimals] ?? 1
    return (integer * power + fraction) / power
  }

  private numberAt(start: number): number {
    return Number(latin1Of(this.bytes.subarray(start, this.at)))
  }

  /** Reads digits, exact up to 15 of them. */
  private readDigits(): number {
    const { bytes } = this
    let { at } = this
    let integer = 0
    for (; ; at++) {
      const digit = (bytes[at] ?? 0) - zero
      if (digit < 0 || digit > 9) break
      integer = 10 * integer + digit
    }
    this.at = at
    return integer
  }

  /** Reads an integer without a sign and leading zeros, exact at any size. `undefined` if there is none. */
  readInteger(): bigint | undefined {
    const { bytes, at: start } = this
    const integer = this.readDigits()
    const digits = this.at - start
    if (digits === 0 || (bytes[start] === zero && digits > 1)) return undefined
    if (digits <= exactDigits) return BigInt(integer)
    return digits <= wordDigits ? this.wordAt(start) : BigInt(latin1Of(bytes.subarray(start, this.at)))
  }

  /** In two halves: `BigInt` takes four times as long to read a text. The product with 1e9 is rounded by far less than a unit of the upper half. */
  private wordAt(start: number): bigint {
    const { bytes, at: end, word } = this
    const cut = end - 9
    let first = 0
    for (let at = start; at < cut; at++) first = 10 * first + ((bytes[at] ?? 0) - zero)
    let last = 0
    for (let at = cut; at < end; at++) last = (Math.imul(10, last) + ((bytes[at] ?? 0) - zero)) | 0
    const low = (Math.imul(first, 1e9) + last) >>> 0
    word.setUint32(0, Math.round((first * 1e9 + last - low) / 2 ** 32))
    word.setUint32(4, low)
    return word.getBigUint64(0)
  }
}

/** Each integer of this many digits has at most 64 bits. */
const wordDigits = 19

/** The part of a text with the topic or mint, which differs from those of the other texts. Each text is longer. */
const nameStart = 8
const nameLength = 48

/** Texts by a hash of their names. Of two texts with one hash, the later one replaces the other, whose rows take the slow path. */
class KnownTexts<Value> {
  private readonly known = new Map<number, { readonly text: ByteText; readonly value: Value }>()

  add(text: string, value: Value): void {
    const bytes = new TextEncoder().encode(text)
    this.known.set(multiplyHash(new DataView(bytes.buffer), nameStart, nameLength), {
      text: new ByteText(text),
      value,
    })
  }

  find(bytes: DataView, at: number): { readonly text: ByteText; readonly value: Value } | undefined {
    if (at + nameStart + nameLength > bytes.byteLength) return undefined
    const known = this.known.get(multiplyHash(bytes, at + nameStart, nameLength))
    return known?.text.isAt(bytes, at) === true ? known : undefined
  }
}
