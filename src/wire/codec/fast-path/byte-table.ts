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
