import { constants, crc32, deflateRawSync, createGunzip } from 'node:zlib'

/** Header of a gzip member, without a name and a time, from an unknown operating system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)

/** In bytes. The text that a block may refer to: that of the format. */
const windowLength = 2 ** 15

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

/** Compressed bytes are decompressed in slices of this length: it limits the output that one chunk can cause. */
const sliceLength = 4_096

/**
 * Decompresses gzip data of one or more members. Damaged and truncated data throw, after the data before the damage; zlib discards
 * the output of the call that finds it: up to 16 kB of text.
 */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const stream = createGunzip()
  const output: Uint8Array[] = []
  /** Ends the wait for the stream. */
  let settle = (): void => undefined
  stream.on('data', (part: Uint8Array) => output.push(part))
  for (const event of ['error', 'end']) stream.on(event, () => settle())
  /** The stream ends before zeros that pad the file, and accepts no further data. */
  async function* outputOf(start: (done: () => void) => void): AsyncGenerator<Uint8Array, void> {
    if (!stream.readableEnded && !stream.errored) {
      await new Promise<void>((resolve) => {
        settle = resolve
        start(resolve)
      })
    }
    yield* output.splice(0)
    if (stream.errored) throw gzipError(stream.errored)
  }
  try {
    for await (const chunk of chunks)
      for (let from = 0; from < chunk.length; from += sliceLength)
        yield* outputOf((done) => stream.write(chunk.subarray(from, from + sliceLength), done))
    yield* outputOf(() => stream.end())
  } finally {
    stream.destroy()
  }
}

const gzipError = (error: NodeJS.ErrnoException): Error =>
  new Error(error.code === 'Z_BUF_ERROR' ? 'truncated gzip data' : `damaged gzip data: ${error.message}`)
