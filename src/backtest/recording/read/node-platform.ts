import * as fs from 'node:fs'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { publish } from '../../../wire/platform/node/diagnostics.js'
import { gunzip } from '../files/gzip.js'
import { gzipStart } from './file-part.js'
import type { PlatformSource, SourcePlatform } from './source.js'

/** Node, and the runtimes that are compatible with it. */
export const nodePlatform: SourcePlatform = {
  namedSource: (part) =>
    typeof part === 'string' ? fileSource(part, part) : fileSource(part.href, new URL(part.href)),
  gunzip,
  publish,
}

const fileSource = (name: string, path: string | URL): PlatformSource => ({
  name,
  // A pipe has no positions.
  open: () => readChunks(path, null),
  file: {
    size: async () => (await stat(path)).size,
    read: async (position, length) => {
      for await (const bytes of readChunks(path, position, length)) return bytes
      return new Uint8Array()
    },
    chunks: (position) => readChunks(path, position),
  },
})

const open = promisify(fs.open)
const read = promisify(fs.read)
const fstat = promisify(fs.fstat)
const close = promisify(fs.close)

/** A larger chunk than Node's default of 64 kB: a recording is read in less CPU time. */
export const chunkBytes = 2 ** 18

/**
 * The bytes of a file from a position on, in chunks. It is opened on the first read, which rejects if that fails. All chunks have the
 * same memory: new memory for each one takes more time than the read, and is released late. A number instead of a `FileHandle`,
 * whose thread may end before it is closed.
 */
async function* readChunks(
  path: string | URL,
  start: number | null,
  length = chunkBytes,
): AsyncGenerator<Uint8Array, void> {
  const file = await open(path, 'r')
  try {
    const bytes = new Uint8Array(length)
    let end = start ?? 0
    // Compressed data have no positions either.
    let isGzip = start === null ? undefined : false
    for (;;) {
      const before = isGzip === false ? undefined : await fstat(file)
      const { bytesRead } = await read(file, bytes, 0, length, start === null ? null : end)
      if (bytesRead === 0) return
      end += bytesRead
      isGzip ??= bytes[0] === gzipStart
      yield bytes.subarray(0, bytesRead)
      // Meanwhile, a recorder may have overwritten the trailer of a compressed file by the next block.
      if (isGzip && before?.isFile() === true && end >= before.size) return
    }
  } finally {
    await close(file)
  }
}
