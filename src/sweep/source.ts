import { ConfigurationError } from '../errors/configuration-error.js'
import { nodePlatform } from '../recording/on-node.js'
import { openableSources, type FileUrl, type OpenableSource } from '../recording/read/source.js'

/** A file by its path or `file:` URL. */
export type SweepPart = string | FileUrl

/** The recording of a sweep: files that each worker reads. An array is a list of files, in order. */
export type SweepSource = SweepPart | readonly SweepPart[]

/** A file that a worker opens. */
export interface WorkerFile {
  readonly kind: 'path' | 'URL'
  readonly name: string
}

/** Throws a `ConfigurationError` for a value that is no source, or that a worker cannot open. */
export const workerFiles = (source: SweepSource): readonly WorkerFile[] =>
  isList(source) ? source.map(workerFile) : [workerFile(source)]

const isList = (source: SweepSource): source is readonly SweepPart[] => Array.isArray(source)

const workerFile = (part: SweepPart): WorkerFile => {
  if (typeof part === 'string') return { kind: 'path', name: part }
  const href: unknown = typeof part === 'object' && (part as unknown) !== null ? part.href : undefined
  if (typeof href === 'string' && URL.canParse(href) && new URL(href).protocol === 'file:')
    return { kind: 'URL', name: href }
  throw new ConfigurationError(
    'source',
    'expected a path, a file URL, or an array of these: each worker opens the files by itself',
  )
}

/** The files, as a worker opens them. */
export const openFiles = (files: readonly WorkerFile[]): readonly OpenableSource[] =>
  openableSources(
    nodePlatform,
    files.map(({ kind, name }) => (kind === 'path' ? name : new URL(name))),
  )
