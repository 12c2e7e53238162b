import { isPriceValue } from '../../domain/price.js'
import { jsonNumberPattern } from '../json.js'
import { ByteTable, shortest, type RecordOffset } from './byte-table.js'

/** The bytes of JSON that matter here. */
const zero = 0x30
const nine = 0x39
const point = 0x2e
const brace = 0x7d

/** What a price update looks like but for its number, which is followed by the last brace. */
const layout =
  /^(\{[ \t\r\n]*"topic"[ \t\r\n]*:[ \t\r\n]*"[\w-]+"[ \t\r\n]*,[ \t\r\n]*"price"[ \t\r\n]*:[ \t\r\n]*)[\d.eE+-]+\}$/

/** By byte: whether numbers are made of it. None of these comes right before one. */
const numeric = Array.from({ length: 256 }, (_, byte) =>
  '0123456789.eE+-'.includes(String.fromCharCode(byte)),
)

const aNumber = new RegExp(`^${jsonNumberPattern}$`)

/** So many digits make an integer that a double holds exactly, and so many powers of ten are exact too. */
const exactDigits = 15
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power)

/**
 * Price updates whose bytes are known but for the number. Why it is right: a prefix is learned from a frame that was
 * decoded the long way, and it holds all of the frame but its number and the last brace. A frame with the same bytes
 * before a JSON number and a brace is, by the grammar of JSON, the same object with that number in it: no key can be
 * there twice, nothing can be escaped. Whatever differs by a byte is not recognised, and goes the long way.
 */
export class PriceFrames<V> {
  private known = new ByteTable<V>()
  /** The bytes looked at last, and their memory, which frames that came together share. */
  private bytes: Uint8Array = new Uint8Array()
  private view: DataView = new DataView(this.bytes.buffer)
  private offset = 0
  /** The price in the frame that was recognised last: a finite number above zero. */
  price = 0

  clear(): void {
    this.known = new ByteTable()
    this.look(new Uint8Array())
  }

  /** Learns from a frame that was decoded as a price update, if it can be learned. */
  learn(text: string, value: V): RecordOffset | undefined {
    const prefix = layout.exec(text)?.[1]
    if (prefix === undefined) return undefined
    return this.known.add(new DataView(Uint8Array.from(prefix, codeOf).buffer), value)
  }

  forget(place: RecordOffset): void {
    this.known.remove(place)
  }

  /** The value that was learned with a frame like this one, whose number is then `price`; otherwise `undefined`. */
  recognise(bytes: Uint8Array, start: number, end: number): V | undefined {
    const length = this.readPrice(bytes, start, end)
    if (length < shortest) return undefined
    if (this.bytes !== bytes) this.look(bytes)
    return this.known.find(this.view, this.offset + start, length)
  }

  private look(bytes: Uint8Array): void {
    this.bytes = bytes
    this.offset = bytes.byteOffset
    if (this.view.buffer !== bytes.buffer) this.view = new DataView(bytes.buffer)
  }

  /**
   * Reads the number before the last brace, backwards, and returns how many bytes come before it, or 0 for what is to
   * go the long way: no number as JSON writes it, a zero, a sign. The price is the double that `JSON.parse` gives: an
   * exact integer over an exact power of ten is rounded once, correctly.
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
      else if (numeric[byte]) return this.readText(bytes, start, end)
      else break
    }
    // No digit before the point, or a needless zero in front, is not how JSON writes a number.
    if (digits === decimals || (bytes[at + 1] === zero && digits - decimals > 1)) return 0
    this.price = integer / (powersOfTen[decimals] ?? 1)
    return integer > 0 ? at + 1 - start : 0
  }

  /** As `readPrice`, for a number of more digits than are exact, or with an exponent. */
  private readText(bytes: Uint8Array, start: number, end: number): number {
    let at = end - 1
    while (at > start && numeric[bytes[at - 1] ?? 0]) at--
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, end - 1 - at).toString('latin1')
    this.price = aNumber.test(text) ? Number(text) : NaN
    return isPriceValue(this.price) ? at - start : 0
  }
}

const codeOf = (character: string): number => character.charCodeAt(0)
