import { latin1Of } from '../../base/domain/bytes.js'
import { isPriceValue } from '../../base/domain/valid-numbers.js'
import { jsonNumberPattern } from './decode.js'

const brace = 0x7d

/** A price update in compact or spaced form. The group is the pattern: all bytes before the number. */
const priceFramePattern =
  /^(\{[ \t\r\n]*"topic"[ \t\r\n]*:[ \t\r\n]*"[\w-]+"[ \t\r\n]*,[ \t\r\n]*"price"[ \t\r\n]*:[ \t\r\n]*)[\d.eE+-]+\}$/

/** True for each byte that occurs in a JSON number. The byte in front of a number is none of these. */
const isNumeric = Array.from({ length: 256 }, (_, byte) =>
  '0123456789.eE+-'.includes(String.fromCharCode(byte)),
)

/** The length of the longest frame that is learned. A topic has 50 characters, and a pattern is kept for each topic. */
const maxLearnedLength = 1024

const jsonNumber = new RegExp(`^${jsonNumberPattern}$`)

/**
 * Recognises price updates by their bytes. `learn` stores the pattern of a frame that the slow path has decoded: its bytes
 * before the number. `recognise` reads the number of a later frame and looks its other bytes up. A frame that differs from
 * every pattern by a byte is not recognised and takes the slow path.
 *
 * Why it is correct: by the grammar of JSON, a frame of a pattern, a JSON number and a brace is the learned object with
 * another number. It has no duplicate keys and no escapes.
 */
export class PriceFrames<V> {
  private readonly patterns = new ByteTable<V>()
  /** The bytes of the last lookup, and their view, which frames from the same read share. */
  private bytes: Uint8Array = new Uint8Array()
  private view: DataView = new DataView(this.bytes.buffer)
  private offset = 0
  /** The price in the last recognised frame, finite and above zero. */
  price = 0

  /** Stores the pattern of a decoded price update with a value. Returns `undefined` for a layout that it does not support. */
  learn(text: string, value: V): RecordOffset | undefined {
    const pattern = text.length > maxLearnedLength ? undefined : priceFramePattern.exec(text)?.[1]
    if (pattern === undefined) return undefined
    return this.patterns.add(new DataView(Uint8Array.from(pattern, codeOf).buffer), value)
  }

  forget(pattern: RecordOffset): void {
    this.patterns.remove(pattern)
  }

  /** Returns the value of the frame's pattern, with the frame's number in `price`; `undefined` if no pattern matches. */
  recognise(bytes: Uint8Array, start: number, end: number): V | undefined {
    const length = this.readPrice(bytes, start, end)
    if (length < minLength) return undefined
    if (this.bytes !== bytes) this.setBytes(bytes)
    return this.patterns.find(this.view, this.offset + start, length)
  }

  private setBytes(bytes: Uint8Array): void {
    this.bytes = bytes
    this.offset = bytes.byteOffset
    if (this.view.buffer !== bytes.buffer) this.view = new DataView(bytes.buffer)
  }

  /**
   * Reads the number before the last brace, backwards. Returns the number of bytes before it, or 0 if the frame must take
   * the slow path: no JSON number, zero, or a sign. The price is the double that `JSON.parse` returns, because the quotient
   * of an exact integer and an exact power of ten is rounded once.
   */
  private readPrice(bytes: Uint8Array, start: number, end: number): number {
    if (bytes[end - 1] !== brace) return 0
    let integer = 0
    let digits = 0
    let decimals = 0
    let at = end - 2
    for (; at >= start; at--) {
      const byte = bytes[at] ?? 0
      if (byte >= zero && byte <= nine) {
        if (digits === exactDigits) return this.readText(bytes, start, end)
        integer += (byte - zero) * (powersOfTen[digits++] ?? 1)
      } else if (byte === point && decimals === 0 && digits > 0) decimals = digits
      else if (isNumeric[byte]) return this.readText(bytes, start, end)
      else break
    }
    // JSON requires a digit before the point, and forbids leading zeros.
    if (digits === decimals || (bytes[at + 1] === zero && digits - decimals > 1)) return 0
    this.price = integer / (powersOfTen[decimals] ?? 1)
    return integer > 0 ? at + 1 - start : 0
  }

  /** Like `readPrice`, for a number with more digits than a double holds exactly, or with an exponent. */
  private readText(bytes: Uint8Array, start: number, end: number): number {
    let at = end - 1
    while (at > start && isNumeric[bytes[at - 1] ?? 0]) at--
    const text = latin1Of(bytes.subarray(at, end - 1))
    this.price = jsonNumber.test(text) ? Number(text) : NaN
    return isPriceValue(this.price) ? at - start : 0
  }
}

const codeOf = (character: string): number => character.charCodeAt(0)

/** Byte strings are compared in words of eight bytes. The last word may overlap the one before it. */
export const wordSize = 8

/** The minimum length of a byte string. */
export const minLength = wordSize

// The fields in front of the words of a record, as indices of 32-bit integers.
const hashField = 0
const lengthField = 1
/** The next record of the same slot, or 0. */
const nextField = 2
/** The index in `values`. */
const valueField = 3
const headSize = 4

/** A 32-bit hash of `length` bytes from `start` on. */
export type Hash = (bytes: DataView, start: number, length: number) => number

/** The index of a record in `records`. Always even, so that the words of a record are aligned. */
export type RecordOffset = number

/**
 * A hash table from byte strings to values. All records are in one buffer, and a record has its hash, length and bytes
 * side by side: with thousands of topics, cache misses take most of the time of a lookup.
 *
 * A word is compared as one double, which is faster than two integers. Two doubles are equal exactly if their bytes are
 * equal, except for zero and NaN. Stored words are neither, because `add` accepts bytes from 1 to 127 only. `find` accepts
 * any bytes.
 */
export class ByteTable<V> {
  /** The first record of each slot, or 0. The number of slots is a power of two, and not below the number of values. */
  private slots = new Int32Array(64)
  private records = new Int32Array(1024)
  /** The same buffer as doubles. */
  private words = new Float64Array(this.records.buffer)
  private used = 2
  private readonly values: (V | undefined)[] = []
  /** Removed records, by their number of words. */
  private readonly free = new Map<number, RecordOffset[]>()

  constructor(private readonly hash: Hash = multiplyHash) {}

  /** Equal byte strings may be added several times; `find` returns the last. */
  add(bytes: DataView, value: V): RecordOffset {
    const length = bytes.byteLength
    const record = this.free.get(wordsIn(length))?.pop() ?? this.create(wordsIn(length))
    const { records, words } = this
    records[record + hashField] = this.hash(bytes, 0, length)
    records[record + lengthField] = length
    this.values[records[record + valueField] ?? 0] = value
    for (let index = 0; index < wordsIn(length); index++) {
      const at = Math.min(index * wordSize, length - wordSize)
      words[firstWord(record) + index] = bytes.getFloat64(at, true)
    }
    this.link(record)
    return record
  }

  remove(record: RecordOffset): void {
    const { records, slots } = this
    const slot = this.slotOf(records[record + hashField] ?? 0)
    const next = records[record + nextField] ?? 0
    if (slots[slot] === record) slots[slot] = next
    else {
      let previous = slots[slot] ?? 0
      while (records[previous + nextField] !== record) previous = records[previous + nextField] ?? 0
      records[previous + nextField] = next
    }
    this.values[records[record + valueField] ?? 0] = undefined
    const words = wordsIn(records[record + lengthField] ?? 0)
    const removed = this.free.get(words)
    if (removed === undefined) this.free.set(words, [record])
    else removed.push(record)
  }

  /** The value of the `length` bytes from `start` on. */
  find(bytes: DataView, start: number, length: number): V | undefined {
    const { records } = this
    const hash = this.hash(bytes, start, length)
    let record = this.slots[this.slotOf(hash)] ?? 0
    while (record !== 0 && !(records[record] === hash && this.matches(record, bytes, start, length))) {
      record = records[record + nextField] ?? 0
    }
    return record === 0 ? undefined : this.values[records[record + valueField] ?? 0]
  }

  private matches(record: RecordOffset, bytes: DataView, start: number, length: number): boolean {
    const { records, words } = this
    if (records[record + lengthField] !== length) return false
    const last = start + length - wordSize
    let at = firstWord(record)
    for (let from = start; from < last; from += wordSize) {
      if (words[at++] !== bytes.getFloat64(from, true)) return false
    }
    return words[at] === bytes.getFloat64(last, true)
  }

  private slotOf(hash: number): number {
    return hash & (this.slots.length - 1)
  }

  private link(record: RecordOffset): void {
    const slot = this.slotOf(this.records[record + hashField] ?? 0)
    this.records[record + nextField] = this.slots[slot] ?? 0
    this.slots[slot] = record
  }

  private create(words: number): RecordOffset {
    const record = this.used
    this.used += headSize + 2 * words
    // An even number of integers, by an eighth: patterns take most of the memory of the table.
    if (this.used > this.records.length) this.grow(Math.max(this.used, record + 2 * (record >> 4)))
    this.records[record + valueField] = this.values.push(undefined) - 1
    if (this.values.length > this.slots.length) this.rehash()
    return record
  }

  private grow(size: number): void {
    const records = new Int32Array(size)
    records.set(this.records)
    this.records = records
    this.words = new Float64Array(records.buffer)
  }

  /** Doubles the number of slots. The record under construction is not linked yet, so it is not in any slot. */
  private rehash(): void {
    const linked = [...this.slots].flatMap((first) => this.linkedFrom(first))
    this.slots = new Int32Array(2 * this.slots.length)
    // Links in reverse, because `link` prepends: of equal byte strings, the last one added stays first.
    for (const record of linked.reverse()) this.link(record)
  }

  private linkedFrom(first: RecordOffset): readonly RecordOffset[] {
    const linked: RecordOffset[] = []
    for (let record = first; record !== 0; record = this.records[record + nextField] ?? 0) linked.push(record)
    return linked
  }
}

const wordsIn = (bytes: number): number => Math.ceil(bytes / wordSize)

const firstWord = (record: RecordOffset): number => (record + headSize) >> 1

/** Hashes both halves of each word independently, so that a processor runs the two multiplications in parallel. */
export const multiplyHash: Hash = (bytes, start, length) => {
  const last = start + length - wordSize
  let low = length
  let high = 0
  for (let from = start; from < last; from += wordSize) {
    low = Math.imul(low ^ bytes.getInt32(from, true), prime)
    high = Math.imul(high ^ bytes.getInt32(from + 4, true), prime)
  }
  low = Math.imul(low ^ bytes.getInt32(last, true), prime)
  high = Math.imul(high ^ bytes.getInt32(last + 4, true), prime)
  const bits = Math.imul(low ^ (high >>> 15), prime) ^ high
  return bits ^ (bits >>> 15)
}

const prime = 0x01000193

/** The bytes of a decimal number without a sign and an exponent. */
export const zero = 0x30
export const nine = 0x39
export const point = 0x2e

/** A double holds every integer of this many digits exactly, and every power of ten up to this exponent. */
export const exactDigits = 15
export const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power)
