import { ByteTable } from '../../codec/fast-path/byte-table.js'
import { exactDigits, nine, point, powersOfTen, zero, type ByteText } from '../../codec/fast-path/bytes.js'
import { latin1Of } from '../../domain/bytes.js'

const brace = 0x7d
const lineEnd = 0x0a

/**
 * Reads the parts of a line of JSON from its bytes, one after the other. Its numbers are those that `JSON.parse` returns,
 * because the quotient of an exact integer and an exact power of ten is rounded once.
 */
export class RowBytes {
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

  /** The value of the known text that follows. */
  readKnown<Value>(texts: KnownTexts<Value>): Value | undefined {
    for (const length of texts.lengths) {
      if (this.at + length > this.bytes.length) continue
      const value = texts.table.find(this.view, this.at, length)
      if (value === undefined) continue
      this.at += length
      return value
    }
    return undefined
  }

  /** Reads a number of JSON without a sign and an exponent. Returns NaN if there is none. */
  readNumber(): number {
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

  /** Reads an integer without a sign and leading zeros, exact at any size. `undefined` if there is none. */
  readInteger(): bigint | undefined {
    const { bytes, at: start } = this
    let at = start
    let integer = 0
    for (; ; at++) {
      const byte = bytes[at] ?? 0
      if (byte < zero || byte > nine) break
      integer = 10 * integer + (byte - zero)
    }
    this.at = at
    const digits = at - start
    if (digits === 0 || (bytes[start] === zero && digits > 1)) return undefined
    if (digits <= exactDigits) return BigInt(integer)
    return digits <= wordDigits ? this.wordAt(start) : BigInt(latin1Of(bytes.subarray(start, at)))
  }

  /** The integer from `start` to the next byte, in two halves: `BigInt` takes four times as long to read a text. */
  private wordAt(start: number): bigint {
    const { bytes, at: end, word } = this
    let low = 0
    let high = 0
    for (let at = start; at < end; at++) {
      low = 10 * low + ((bytes[at] ?? 0) - zero)
      const carry = Math.floor(low / 2 ** 32)
      low -= carry * 2 ** 32
      high = 10 * high + carry
    }
    word.setUint32(0, high)
    word.setUint32(4, low)
    return word.getBigUint64(0)
  }
}

/** Each integer of this many digits has at most 64 bits. */
const wordDigits = 19

/** Texts of more lengths are not added. In a recording all have the same length. */
const maxLengths = 4

/** Texts by their bytes, of a few lengths. */
export class KnownTexts<Value> {
  readonly table = new ByteTable<Value>()
  readonly lengths: number[] = []

  add(text: string, value: Value): void {
    const bytes = new TextEncoder().encode(text)
    if (!this.lengths.includes(bytes.length)) {
      if (this.lengths.length === maxLengths) return
      this.lengths.push(bytes.length)
    }
    const view = new DataView(bytes.buffer)
    if (this.table.find(view, 0, bytes.length) === undefined) this.table.add(view, value)
  }
}
