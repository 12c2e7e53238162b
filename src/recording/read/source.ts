import type { Subscription } from 'rxjs'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { readFileBytes } from '../../platform/node/files.js'
import { isIterable, iterableOpener, type Chunks } from './iterable-opener.js'

/** A `file:` URL, such as `new URL('market.ndjson', import.meta.url)`. */
export interface FileUrl {
  readonly href: string
}

/** A file by its path or `file:` URL, or an iterable of the pieces of a recording, text or bytes. */
export type RecordingPart = string | FileUrl | Chunks

/** The source of a recording. An array is a list of sources, in order. */
export type RecordingSource = RecordingPart | readonly RecordingPart[]

/** A source that each replay reads from its start. */
export interface OpenableSource {
  /** Names the source in error messages. */
  readonly name: string
  /** The chunks of the source. `closing` ends a read that waits for data. Throws if the source cannot be opened. */
  readonly open: (closing: Subscription) => Chunks
}

/** Throws a `ConfigurationError` for a value that is no source. */
export const openableSources = (source: RecordingSource): readonly OpenableSource[] =>
  isList(source)
    ? source.map((part, index) => openableSource(part, `source ${index + 1}`))
    : [openableSource(source)]

const isList = (source: RecordingSource): source is readonly RecordingPart[] => Array.isArray(source)

/** `name`: the name of a source that is no file. */
export const openableSource = (part: RecordingPart, name = 'the recording'): OpenableSource => {
  if (typeof part === 'string') return fileSource(part, () => part)
  if (typeof part !== 'object' || (part as unknown) === null) throw invalidSource()
  if ('href' in part) return fileSource(part.href, () => new URL(part.href))
  if (!isIterable(part)) throw invalidSource()
  return { name, open: iterableOpener(part) }
}

const fileSource = (name: string, address: () => string | URL): OpenableSource => ({
  name,
  open: (closing) => iterableOpener(readFileBytes(address()))(closing),
})

const invalidSource = (): ConfigurationError =>
  new ConfigurationError(
    'source',
    'expected a path, a file URL, an iterable of text or bytes, or an array of these',
  )
