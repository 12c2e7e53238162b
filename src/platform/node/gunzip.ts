import { createGunzip } from 'node:zlib'

/** Compressed bytes are decompressed in slices of this length: it limits the output that one chunk can cause. */
const sliceLength = 16_384

/**
 * Decompresses gzip data of one or more members, chunk by chunk.
 *
 * zlib discards the output of a write that fails. A second inflater, which is one slice behind, therefore decompresses a
 * damaged slice again byte by byte. It runs in the thread pool while the caller reads the output of the first.
 */
export class Gunzip {
  private readonly first = new Inflater()
  private readonly second = new Inflater()

  /** Yields the data of a chunk. Damaged data throw, after all data before the damage that can be decompressed. */
  async *write(chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
    for (let from = 0; from < chunk.length; from += sliceLength) {
      const slice = chunk.subarray(from, from + sliceLength)
      const output = await this.first.write(slice)
      if (this.first.failure !== undefined) {
        yield* this.beforeDamage(slice)
        throw this.first.failure
      }
      const repeated = this.second.write(slice)
      yield* output
      await repeated
    }
  }

  /** Yields the rest. Throws if the data are truncated. */
  async *end(): AsyncGenerator<Uint8Array, void> {
    yield* await this.first.end()
    if (this.first.failure !== undefined) throw this.first.failure
  }

  close(): void {
    this.first.close()
    this.second.close()
  }

  private async *beforeDamage(slice: Uint8Array): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < slice.length && this.second.failure === undefined; at++) {
      yield* await this.second.write(slice.subarray(at, at + 1))
    }
  }
}

/** A zlib stream whose calls return their output. */
class Inflater {
  /** Set by damaged and by truncated data. The call that fails returns no output. */
  failure: Error | undefined
  private readonly stream = createGunzip()
  private output: Uint8Array[] = []
  private ended = false
  /** Ends the wait for the stream. */
  private settle: () => void = () => undefined

  constructor() {
    this.stream.on('data', (part: Uint8Array) => this.output.push(part))
    this.stream.on('error', (error) => {
      this.failure = gzipError(error)
      this.settle()
    })
    this.stream.on('end', () => {
      this.ended = true
      this.settle()
    })
  }

  write(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    return this.outputOf((done) => this.stream.write(bytes, done))
  }

  end(): Promise<readonly Uint8Array[]> {
    return this.outputOf(() => this.stream.end())
  }

  close(): void {
    this.stream.destroy()
  }

  /** The stream ends before zeros that pad the file, and accepts no further data. */
  private async outputOf(start: (done: () => void) => void): Promise<readonly Uint8Array[]> {
    if (this.failure === undefined && !this.ended) {
      await new Promise<void>((resolve) => {
        this.settle = resolve
        start(resolve)
      })
    }
    return this.output.splice(0)
  }
}

const gzipError = (error: NodeJS.ErrnoException): Error =>
  new Error(error.code === 'Z_BUF_ERROR' ? 'truncated gzip data' : `damaged gzip data: ${error.message}`)
