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
 * Decompresses gzip data of one or more members, chunk by chunk. zlib discards the output of the call that finds damage: up to
 * 16 kB of text before it.
 */
export class Gunzip {
  private readonly stream = createGunzip()
  private readonly output: Uint8Array[] = []
  /** Ends the wait for the stream. */
  private settle: () => void = () => undefined

  constructor() {
    this.stream.on('data', (part: Uint8Array) => this.output.push(part))
    for (const event of ['error', 'end']) this.stream.on(event, () => this.settle())
  }

  /** Yields the data of a chunk. Damaged data throw, after the data before the damage. */
  async *write(chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
    for (let from = 0; from < chunk.length; from += sliceLength) {
      const slice = chunk.subarray(from, from + sliceLength)
      yield* this.outputOf((done) => this.stream.write(slice, done))
    }
  }

  /** Yields the rest. Throws if the data are truncated. */
  end(): AsyncGenerator<Uint8Array, void> {
    return this.outputOf(() => this.stream.end())
  }

  close(): void {
    this.stream.destroy()
  }

  /** The stream ends before zeros that pad the file, and accepts no further data. */
  private async *outputOf(start: (done: () => void) => void): AsyncGenerator<Uint8Array, void> {
    const { stream } = this
    if (!stream.readableEnded && !stream.errored) {
      await new Promise<void>((resolve) => {
        this.settle = resolve
        start(resolve)
      })
    }
    yield* this.output.splice(0)
    if (stream.errored) throw gzipError(stream.errored)
  }
}

const gzipError = (error: NodeJS.ErrnoException): Error =>
  new Error(error.code === 'Z_BUF_ERROR' ? 'truncated gzip data' : `damaged gzip data: ${error.message}`)
