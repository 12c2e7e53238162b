import type { Chunks } from './iterable-opener.js'

/** Decompresses gzip data of one or more members, chunk by chunk. */
export interface Gunzip {
  /** Yields the data of a chunk. Damaged data throw, after all data before the damage that can be decompressed. */
  write(chunk: Uint8Array): AsyncIterable<Uint8Array>
  /** Yields the rest. Throws if the data are truncated. */
  end(): AsyncIterable<Uint8Array>
  close(): void
}

/** The first byte of gzip data. No recording in plain text starts with this control character. */
const gzipStart = 0x1f

/** The chunks of a source, decompressed if its first byte is that of gzip data. */
export async function* decompressed(
  source: Chunks,
  createGunzip: () => Gunzip,
): AsyncGenerator<string | Uint8Array, void> {
  let gunzip: Gunzip | undefined
  let isAtStart = true
  try {
    for await (const chunk of source) {
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
        throw new Error(`a chunk of type ${typeof chunk}`)
      if (isAtStart && chunk[0] === gzipStart) gunzip = createGunzip()
      isAtStart &&= chunk.length === 0
      if (gunzip === undefined) yield chunk
      else yield* gunzip.write(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)
    }
    if (gunzip !== undefined) yield* gunzip.end()
  } finally {
    gunzip?.close()
  }
}
