import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import { messageOf } from '../../../base/errors/text.js'
import { readWebStream, type SourcePlatform } from './source.js'

/** A recording is data, because a browser has no files. */
export const browserPlatform: SourcePlatform = {
  namedSource: (part) => {
    if (typeof part === 'string') return { open: () => [part] }
    throw new ConfigurationError(
      'source',
      'expected data, such as the body of a fetch: a browser has no files',
    )
  },
  gunzip: (chunks) => gunzip(chunks),
  publish: () => undefined,
}

/** The browser's `DecompressionStream` rejects further members, and may discard the rows directly before damaged data. */
async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const iterator = chunks[Symbol.asyncIterator]()
  const compressed = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next: IteratorResult<Uint8Array, unknown> = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => {
      await iterator.return?.()
    },
  })
  const stream = compressed.pipeThrough(new DecompressionStream('gzip'))
  try {
    yield* readWebStream(stream) as AsyncGenerator<Uint8Array, void>
  } catch (thrown) {
    throw new Error(`damaged gzip data, or several members: ${messageOf(thrown)}`)
  }
}
