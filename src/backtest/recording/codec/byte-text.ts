import { wordSize } from '../../../wire/codec/fast-path/byte-table.js'

/**
 * A text to compare with bytes: at least eight ASCII characters. A word is compared as one double. Two doubles are equal
 * exactly if their bytes are equal, except for zero and NaN, which no eight ASCII characters are.
 */
export class ByteText {
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
