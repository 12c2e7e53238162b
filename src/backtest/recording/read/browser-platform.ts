import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import { messageOf } from '../../../base/errors/text.js'
import type { SourcePlatform, WebStream } from './source.js'

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
  private readonly output: Uint8Array[] = []
  private readonly reading = this.readAll()

  /** Yields the data of this chunk, or of earlier chunks. */
  write(chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
    return this.outputOf(this.writer.write(chunk))
  }

  /** Yields the rest. Throws if the data are truncated. */
  end(): AsyncGenerator<Uint8Array, void> {
    return this.outputOf(this.writer.close().then(() => this.reading))
  }

  close(): void {
    void this.writer.abort().catch(() => undefined)
    this.reading.catch(() => undefined)
  }

  private async *outputOf(work: Promise<void>): AsyncGenerator<Uint8Array, void> {
    const failure = await work.then(() => undefined, gzipError)
    yield* this.output.splice(0)
    if (failure !== undefined) throw failure
  }

  /** Reads all the time, because the stream accepts no data while its output is not read. */
  private async readAll(): Promise<void> {
    // Node's types do not declare the type of the chunks.
    const reader = this.stream.readable.getReader() as WebReader
    for (;;) {
      const { done, value } = await reader.read()
      if (done || value === undefined) return
      this.output.push(value as Uint8Array)
    }
  }
}

type WebReader = ReturnType<WebStream['getReader']>

const gzipError = (thrown: unknown): Error =>
  new Error(`damaged gzip data, or several members: ${messageOf(thrown)}`)
