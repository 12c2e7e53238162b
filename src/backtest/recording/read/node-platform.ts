import { publish } from '../../../wire/platform/node/diagnostics.js'
import { fileSize, readFileBytes, readFilePart } from '../files/files.js'
import { gunzip } from '../files/gzip.js'
import type { PlatformSource, SourcePlatform } from './source.js'

/** Node, and the runtimes that are compatible with it. */
export const nodePlatform: SourcePlatform = {
  stringSource: (path) => fileSource(path, path),
  urlSource: (href) => fileSource(href, new URL(href)),
  gunzip,
  publish,
}

const fileSource = (name: string, path: string | URL): PlatformSource => ({
  name,
  open: () => readFileBytes(path),
  file: {
    size: () => fileSize(path),
    read: (position, length) => readFilePart(path, position, length),
    chunks: (position) => readFileBytes(path, position),
  },
})
