/** The bytes of JSON that matter here. */
const zero = 0x30
const nine = 0x39
const point = 0x2e
const brace = 0x7d

/** What a price update looks like but for its number, which is followed by the last brace. */
const layout =
  /^(\{[ \t\r\n]*"topic"[ \t\r\n]*:[ \t\r\n]*"[\w-]+"[ \t\r\n]*,[ \t\r\n]*"price"[ \t\r\n]*:[ \t\r\n]*)[\d.eE+-]+\}$/

/** So many digits make an integer that a double holds exactly, and so many powers of ten are exact too. */
const exactDigits = 15
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power)

interface Known<V> {
  /** All that comes before the number. */
  readonly prefix: Uint8Array
  readonly value: V
  /** Another with the same hash. */
  next: Known<V> | undefined
}

/**
 * Price updates whose bytes are known but for the number. Why it is right: a prefix is learned from a frame that was
 * decoded the long way, and it holds all of the frame but its number and the last brace. A frame with the same bytes
 * before a JSON number and a brace is, by the grammar of JSON, the same object with that number in it: no key can be
 * there twice, nothing can be escaped. Whatever differs by a byte is not recognised, and goes the long way.
 */
export class PriceFrames<V> {
  private readonly known = new Map<number, Known<V>>()
  /** The price in the frame that was recognised last: a finite number above zero. */
  price = 0

  /** Learns from a frame that was decoded as a price update. Returns how it is forgotten, where it could be learned. */
  learn(text: string, value: V): (() => void) | undefined {
    const found = layout.exec(text)?.[1]
    if (found === undefined) return undefined
    const prefix = Uint8Array.from(found, (character) => character.charCodeAt(0))
    const key = hash(prefix, 0, prefix.length)
    const known: Known<V> = { prefix, value, next: this.known.get(key) }
    this.known.set(key, known)
    return () => this.forget(key, known)
  }

  /** The value that was learned with a frame like this one, whose number is then `price`; otherwise `undefined`. */
  recognise(bytes: Uint8Array, start: number, end: number): V | undefined {
    if (bytes[end - 1] !== brace) return undefined
    const from = numberBefore(bytes, start, end - 1)
    let known = this.known.get(hash(bytes, start, from))
    while (known !== undefined && !matches(known.prefix, bytes, start, from)) known = known.next
    if (known === undefined) return undefined
    this.price = decimal(bytes, from, end - 1)
    return this.price > 0 ? known.value : undefined
  }

  private forget(key: number, forgotten: Known<V>): void {
    const first = this.known.get(key)
    if (first === forgotten) {
      if (first.next === undefined) this.known.delete(key)
      else this.known.set(key, first.next)
      return
    }
    for (let known = first; known !== undefined; known = known.next) {
      if (known.next === forgotten) known.next = forgotten.next
    }
  }
}

/** Where the digits and points begin that end there. */
const numberBefore = (bytes: Uint8Array, start: number, end: number): number => {
  let at = end
  while (at > start) {
    const byte = bytes[at - 1] as number
    if ((byte < zero || byte > nine) && byte !== point) break
    at--
  }
  return at
}

const hash = (bytes: Uint8Array, start: number, end: number): number => {
  let bits = end - start
  for (let at = start; at < end; at++) bits = (Math.imul(bits, 31) + (bytes[at] as number)) | 0
  // A small integer, which a Map holds without a heap number.
  return bits & 0x3fffffff
}

const matches = (prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean => {
  if (prefix.length !== end - start) return false
  for (let at = 0; at < prefix.length; at++) if (prefix[at] !== bytes[start + at]) return false
  return true
}

/**
 * The double that `JSON.parse` gives, or `NaN` for what is to go the long way: no number, or one with a sign, an
 * exponent, or more digits than are exact. An exact integer over an exact power of ten is rounded once, correctly.
 */
const decimal = (bytes: Uint8Array, start: number, end: number): number => {
  let digits = 0
  let integer = 0
  let pointAt = end
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === point) {
      if (pointAt < end) return NaN
      pointAt = at
    } else {
      integer = integer * 10 + (byte - zero)
      digits++
    }
  }
  if (digits > exactDigits || !isWritten(bytes, start, pointAt, end)) return NaN
  return pointAt === end ? integer : integer / (powersOfTen[end - pointAt - 1] as number)
}

/** Whether JSON writes a number like this: digits on both sides of the point, no needless zero in front. */
const isWritten = (bytes: Uint8Array, start: number, pointAt: number, end: number): boolean => {
  if (pointAt === start || pointAt === end - 1) return false
  return bytes[start] !== zero || pointAt === start + 1
}
