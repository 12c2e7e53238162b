const wordSize = 4

const countOf = (bytes: number): number => Math.ceil(bytes / wordSize)

/** Byte strings of at least four bytes in one piece of memory, as words: for a few of them, an array each costs less. */
export class Words {
  private words = new Int32Array(256)
  private used = 0
  /** Places that are free again, by how many words they hold. */
  private readonly free = new Map<number, number[]>()

  /** Returns where they are. */
  add(bytes: DataView): number {
    const count = countOf(bytes.byteLength)
    const at = this.free.get(count)?.pop() ?? this.grow(count)
    for (let index = 0; index < count; index++) {
      this.words[at + index] = bytes.getInt32(Math.min(index * wordSize, bytes.byteLength - wordSize), true)
    }
    return at
  }

  remove(at: number, length: number): void {
    const places = this.free.get(countOf(length))
    if (places === undefined) this.free.set(countOf(length), [at])
    else places.push(at)
  }

  /** Whether so many bytes are those that are kept there, which are as many. The last word may overlap the one before. */
  match(at: number, bytes: DataView, start: number, length: number): boolean {
    const { words } = this
    const last = length - wordSize
    let index = at
    for (let from = 0; from < last; from += wordSize) {
      if (words[index++] !== bytes.getInt32(start + from, true)) return false
    }
    return words[index] === bytes.getInt32(start + last, true)
  }

  private grow(count: number): number {
    const at = this.used
    this.used += count
    if (this.used > this.words.length) {
      const words = new Int32Array(this.words.length * 2)
      words.set(this.words)
      this.words = words
    }
    return at
  }
}
