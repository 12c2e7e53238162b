import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import { messageOf } from '../../../base/errors/text.js'
import type { SourcePlatform } from './source.js'

/** A recording is data, because a browser has no files. */
export const browserPlatform: SourcePlatform = {
  stringSource: (text) => ({ open: () => [text] }),
  urlSource: () => {
    throw new ConfigurationError(
      'source',
      'expected data, such as the body of a fetch: a browser has no files',
    )
  },
  createGunzip: () => new Gunzip(),
  publish: () => undefined,
}

/**
 * Decompresses gzip data of one member by the browser's `DecompressionStream`, which rejects further members. It discards
 * the output of damaged data, so that rows directly before the damage may be lost.
 */
export class Gunzip {
  private readonly stream = new DecompressionStream('gzip')
  private readonly writer = this.stream.writable.getWriter()
  private readonly reader: ByteReader = this.stream.readable.getReader()
  private output: Uint8Array[] = []
  private failure: Error | undefined
  private readonly reading = this.readAll()

  /** Yields the data of this chunk, or of earlier chunks. */
  async *write(chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
    await this.attempt(this.writer.write(chunk))
    yield* this.take()
  }

  /** Yields the rest. Throws if the data are truncated. */
  async *end(): AsyncGenerator<Uint8Array, void> {
    await this.attempt(this.writer.close())
    await this.reading
    yield* this.take()
  }

  close(): void {
    void this.writer.abort().catch(() => undefined)
  }

  private async attempt(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (thrown) {
      this.failure ??= gzipError(thrown)
    }
  }

  private *take(): Generator<Uint8Array, void> {
    yield* this.output.splice(0)
    if (this.failure !== undefined) throw this.failure
  }

  /** Never rejects. Reads all the time, because the stream accepts no data while its output is not read. */
  private async readAll(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.reader.read()
        if (done || value === undefined) return
        this.output.push(value)
      }
    } catch (thrown) {
      this.failure ??= gzipError(thrown)
    }
  }
}

/** Node's types do not declare the type of the chunks. */
interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>
}

const gzipError = (thrown: unknown): Error =>
  new Error(`damaged gzip data, or several members: ${messageOf(thrown)}`)
