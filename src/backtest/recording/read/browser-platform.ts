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
  gunzip: (chunks) => gunzip(chunks),
  publish: () => undefined,
}

/**
 * Decompresses gzip data of one member by the browser's `DecompressionStream`, which rejects further members. It discards
 * the output of damaged data, so that rows directly before the damage may be lost.
 */
async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const { readable, writable } = new DecompressionStream('gzip')
  const writer = writable.getWriter()
  const output: Uint8Array[] = []
  const reading = readAll(readable, output)
  async function* outputAfter(work: Promise<void>): AsyncGenerator<Uint8Array, void> {
    const failure = await work.then(() => undefined, gzipError)
    yield* output.splice(0)
    if (failure !== undefined) throw failure
  }
  try {
    for await (const chunk of chunks) yield* outputAfter(writer.write(chunk))
    yield* outputAfter(writer.close().then(() => reading))
  } finally {
    void writer.abort().catch(() => undefined)
    reading.catch(() => undefined)
  }
}

/** Reads all the time, because the stream accepts no data while its output is not read. */
const readAll = async (readable: DecompressionStream['readable'], output: Uint8Array[]): Promise<void> => {
  // Node's types do not declare the type of the chunks.
  const reader = readable.getReader() as WebReader
  for (;;) {
    const { done, value } = await reader.read()
    if (done || value === undefined) return
    output.push(value as Uint8Array)
  }
}

type WebReader = ReturnType<WebStream['getReader']>

const gzipError = (thrown: unknown): Error =>
  new Error(`damaged gzip data, or several members: ${messageOf(thrown)}`)
