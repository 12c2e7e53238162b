import { open, stat } from 'node:fs/promises'
import { publish } from '../../../wire/platform/node/diagnostics.js'
import { readFileBytes } from '../files/files.js'
import { gunzip } from '../files/gzip.js'
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
  open: () => readFileBytes(path),
  file: {
    size: async () => (await stat(path)).size,
    read: async (position, length) => {
      await using file = await open(path)
      const bytes = new Uint8Array(length)
      const { bytesRead } = await file.read(bytes, 0, length, position)
      return bytes.subarray(0, bytesRead)
    },
    chunks: (position) => readFileBytes(path, position),
  },
})
