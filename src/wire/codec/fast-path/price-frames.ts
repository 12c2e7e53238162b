import { latin1Of } from '../../../base/domain/bytes.js'
import { isPriceValue } from '../../../base/domain/valid-numbers.js'
import { jsonNumberPattern } from '../decode.js'
import { ByteTable, minLength, type RecordOffset } from './byte-table.js'
import { exactDigits, nine, point, powersOfTen, zero } from './bytes.js'

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
  private patterns = new ByteTable<V>()
  /** The bytes of the last lookup, and their view, which frames from the same read share. */
  private bytes: Uint8Array = new Uint8Array()
  private view: DataView = new DataView(this.bytes.buffer)
  private offset = 0
  /** The price in the last recognised frame, finite and above zero. */
  price = 0

  clear(): void {
    this.patterns = new ByteTable()
    this.setBytes(new Uint8Array())
  }

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
