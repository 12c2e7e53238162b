import { constants, crc32, deflateRawSync } from 'node:zlib'

/** Header of a gzip member, without a name and a time, from an unknown operating system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)

/** In bytes. The text that a block may refer to. A longer one costs time per block and saves little. */
const windowLength = 4096

/** Compressed bytes, and the trailer that ends the data if no block follows. */
export interface GzipBlock {
  readonly data: Uint8Array
  readonly trailer: Uint8Array
}

/**
 * Compresses data block by block to one gzip member. Each block can be decompressed when it is written, and may refer to
 * the text of the blocks before it, as in the parallel compressor pigz. The first block includes the header.
 */
export class Gzip {
  private checksum = 0
  private length = 0
  private window: Uint8Array = new Uint8Array(0)

  compress(text: Uint8Array): GzipBlock {
    const compressed = deflateRawSync(text, {
      finishFlush: constants.Z_SYNC_FLUSH,
      ...(this.window.length === 0 ? {} : { dictionary: this.window }),
    })
    const data = this.length === 0 ? Buffer.concat([header, compressed]) : compressed
    this.checksum = crc32(text, this.checksum)
    this.length += text.length
    this.window = Buffer.concat([this.window, text]).subarray(-windowLength)
    return { data, trailer: this.trailer() }
  }

  /** An empty last block, the checksum, and the length of the data modulo 2^32. */
  private trailer(): Uint8Array {
    const trailer = Buffer.alloc(10)
    trailer.writeUInt8(3, 0)
    trailer.writeUInt32LE(this.checksum, 2)
    trailer.writeUInt32LE(this.length % 2 ** 32, 6)
    return trailer
  }
}
