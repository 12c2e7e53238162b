import { nodePlatform } from '../../../../src/backtest/recording/read/node-platform.js'
import { OpenableSource } from '../../../../src/backtest/recording/read/openable-source.js'
import { openableSource } from '../../../../src/backtest/recording/read/source.js'

export interface Counted {
  readonly source: OpenableSource
  /** The bytes that were read; 0 if the file was not opened. */
  bytes: number
}

/** A file whose bytes are counted as they are read. */
export const counted = (path: string): Counted => {
  const source = openableSource(nodePlatform, path)
  const file = source.file!
  async function* counting(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      result.bytes += chunk.length
      yield chunk
    }
  }
  const result: Counted = {
    bytes: 0,
    source: new OpenableSource(
      source.name,
      (closing) => {
        result.bytes++
        return source.open(closing)
      },
      {
        size: () => file.size(),
        read: async (position, length) => {
          const bytes = await file.read(position, length)
          result.bytes += bytes.length
          return bytes
        },
        chunks: (position) => counting(file.chunks(position)),
      },
    ),
  }
  return result
}
