import { constants, crc32, deflateRawSync, createGunzip } from 'node:zlib'
import type { AppendedFile } from './appended-file.js'

/** Header of a gzip member, without a name and a time, from an unknown operating system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)

/** In bytes. The text that a block may refer to: that of the format. */
const windowLength = 2 ** 15

/**
 * Writes blocks of text to a file as one gzip member. Each block may refer to the text of those before it, as in the parallel
 * compressor pigz. The file is complete after each block, which overwrites the trailer and adds a new one.
 */
export class GzipBlocks {
  private checksum = 0
  /** Of the text, in bytes. */
  private length = 0
  private window: Uint8Array = new Uint8Array()
  private trailer: Uint8Array = new Uint8Array()
  /** Where the next block starts. */
  private end = 0

  constructor(private readonly file: Pick<AppendedFile, 'append' | 'cut'>) {}

  /** If the block cannot be written, the file is as before. */
  append(text: Uint8Array): void {
    const { file, window, trailer, end } = this
    const compressed = deflateRawSync(text, {
      finishFlush: constants.Z_SYNC_FLUSH,
      ...(window.length === 0 ? {} : { dictionary: window }),
    })
    const block = end === 0 ? Buffer.concat([header, compressed]) : compressed
    this.checksum = crc32(text, this.checksum)
    this.length += text.length
    this.window = Buffer.concat([window, text]).subarray(-windowLength)
    // An empty last block, the checksum, and the length of the text modulo 2^32.
    const next = Buffer.alloc(10)
    next.writeUInt8(3, 0)
    next.writeUInt32LE(this.checksum, 2)
    next.writeUInt32LE(this.length % 2 ** 32, 6)
    this.trailer = next
    file.cut(end)
    try {
      file.append(Buffer.concat([block, this.trailer]))
    } catch (thrown) {
      file.append(trailer)
      throw thrown
    }
    this.end += block.length
  }
}

/** Compressed bytes are decompressed in slices of this length: it limits the output that one chunk can cause. */
const sliceLength = 4_096

/** Damaged and truncated data throw, after the data before the damage; zlib discards the output of the call that finds it: up to 16 kB of text. */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const stream = createGunzip()
  const output: Uint8Array[] = []
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
