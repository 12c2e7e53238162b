/** A byte string is looked at in words of eight bytes; the last one may overlap the one before it. */
const wordSize = 8

/** The least number of bytes that a byte string may have. */
export const shortest = wordSize

/** What stands before the words of each record, in units of four bytes. */
const hashAt = 0
const lengthAt = 1
/** The next record with the same slot, or 0. */
const nextAt = 2
const valueAt = 3
const headSize = 4

/** A number of 32 bits from so many bytes from there on. */
export type Hash = (bytes: DataView, start: number, length: number) => number

/** Where a record is kept: always an even number. */
export type RecordOffset = number

/**
 * From byte strings to values: a hash table whose records lie in one piece of memory. With thousands of topics the time
 * goes into waiting for memory, and here a byte string is in one place with all that is compared with it.
 *
 * Words are compared as the doubles that their bytes spell, two for the price of one. Doubles are equal exactly if
 * their bytes are, but for those that are zero or not a number, and these are never stored: what is added has bytes
 * from 1 to 127 only. What is sought may have any.
 */
export class ByteTable<V> {
  /** The first record of each slot, or 0. As many as a power of two, and at least as many as there are values. */
  private slots = new Int32Array(64)
  private records = new Int32Array(1024)
  /** The same memory. */
  private words = new Float64Array(this.records.buffer)
  private used = 2
  private readonly values: (V | undefined)[] = []
  /** Records that are free again, by how many words they hold. */
  private readonly free = new Map<number, RecordOffset[]>()

  constructor(private readonly hash: Hash = multiplied) {}

  /** The same bytes may be there several times; the last of them is found. */
  add(bytes: DataView, value: V): RecordOffset {
    const length = bytes.byteLength
    const place = this.free.get(wordsIn(length))?.pop() ?? this.create(wordsIn(length))
    const { records, words } = this
    records[place + hashAt] = this.hash(bytes, 0, length)
    records[place + lengthAt] = length
    this.values[records[place + valueAt] ?? 0] = value
    for (let index = 0; index < wordsIn(length); index++) {
      const at = Math.min(index * wordSize, length - wordSize)
      words[firstWord(place) + index] = bytes.getFloat64(at, true)
    }
    this.link(place)
    return place
  }

  remove(place: RecordOffset): void {
    const { records, slots } = this
    const slot = this.slotOf(records[place + hashAt] ?? 0)
    const next = records[place + nextAt] ?? 0
    if (slots[slot] === place) slots[slot] = next
    else {
      let before = slots[slot] ?? 0
      while (records[before + nextAt] !== place) before = records[before + nextAt] ?? 0
      records[before + nextAt] = next
    }
    this.values[records[place + valueAt] ?? 0] = undefined
    const words = wordsIn(records[place + lengthAt] ?? 0)
    const places = this.free.get(words)
    if (places === undefined) this.free.set(words, [place])
    else places.push(place)
  }

  /** The value of so many bytes from there on. */
  find(bytes: DataView, start: number, length: number): V | undefined {
    const { records } = this
    const sought = this.hash(bytes, start, length)
    let place = this.slots[this.slotOf(sought)] ?? 0
    while (place !== 0 && !(records[place] === sought && this.matches(place, bytes, start, length))) {
      place = records[place + nextAt] ?? 0
    }
    return place === 0 ? undefined : this.values[records[place + valueAt] ?? 0]
  }

  private matches(place: RecordOffset, bytes: DataView, start: number, length: number): boolean {
    const { records, words } = this
    if (records[place + lengthAt] !== length) return false
    const last = start + length - wordSize
    let at = firstWord(place)
    for (let from = start; from < last; from += wordSize) {
      if (words[at++] !== bytes.getFloat64(from, true)) return false
    }
    return words[at] === bytes.getFloat64(last, true)
  }

  private slotOf(hashed: number): number {
    return hashed & (this.slots.length - 1)
  }

  private link(place: RecordOffset): void {
    const slot = this.slotOf(this.records[place + hashAt] ?? 0)
    this.records[place + nextAt] = this.slots[slot] ?? 0
    this.slots[slot] = place
  }

  private create(words: number): RecordOffset {
    const place = this.used
    this.used += headSize + 2 * words
    if (this.used > this.records.length) this.grow(Math.max(this.used, 2 * place))
    this.records[place + valueAt] = this.values.push(undefined) - 1
    if (this.values.length > this.slots.length) this.spread()
    return place
  }

  private grow(size: number): void {
    const records = new Int32Array(size)
    records.set(this.records)
    this.records = records
    this.words = new Float64Array(records.buffer)
  }

  /** Over twice as many slots. The record that has just been created has no words yet, and is in none. */
  private spread(): void {
    const linked = [...this.slots].flatMap((first) => this.linkedFrom(first))
    this.slots = new Int32Array(2 * this.slots.length)
    // Last come, first found: of the same bytes, the one that is found stays the same.
    for (const place of linked.reverse()) this.link(place)
  }

  private linkedFrom(first: RecordOffset): readonly RecordOffset[] {
    const places: RecordOffset[] = []
    for (let place = first; place !== 0; place = this.records[place + nextAt] ?? 0) places.push(place)
    return places
  }
}

const wordsIn = (bytes: number): number => Math.ceil(bytes / wordSize)

const firstWord = (place: RecordOffset): number => (place + headSize) >> 1

/** Of both halves of the words side by side, because a processor does two multiplications as fast as one. */
const multiplied: Hash = (bytes, start, length) => {
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
