import type { Subscription } from 'rxjs'
import { ConfigurationError } from '../../errors/configuration-error.js'
import type { PlatformSource, RecordingPlatform } from '../platform.js'
import { decompressed } from './decompressed.js'
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
export const openableSources = (
  platform: RecordingPlatform,
  source: RecordingSource,
): readonly OpenableSource[] =>
  isList(source)
    ? source.map((part, index) => openableSource(platform, part, `source ${index + 1}`))
    : [openableSource(platform, source)]

const isList = (source: RecordingSource): source is readonly RecordingPart[] => Array.isArray(source)

/** `defaultName`: the name of a source that is no file. */
export const openableSource = (
  platform: RecordingPlatform,
  part: RecordingPart,
  defaultName = 'the recording',
): OpenableSource => {
  const { name = defaultName, open } = sourceOf(platform, part)
  return { name, open: (closing) => decompressed(open(closing), platform.createGunzip) }
}

const sourceOf = (
  platform: RecordingPlatform,
  part: RecordingPart,
): Partial<OpenableSource> & Pick<OpenableSource, 'open'> => {
  if (typeof part === 'string') return reopened(platform.stringSource(part))
  if (typeof part !== 'object' || (part as unknown) === null) throw invalidSource()
  if ('href' in part) return reopened(platform.urlSource(part.href))
  if (!isIterable(part)) throw invalidSource()
  return { open: iterableOpener(part) }
}

/** Each replay opens the source anew. */
const reopened = ({ open, ...source }: PlatformSource) => ({
  ...source,
  open: (closing: Subscription) => iterableOpener(open())(closing),
})

const invalidSource = (): ConfigurationError =>
  new ConfigurationError(
    'source',
    'expected a path, a file URL, an iterable of text or bytes, or an array of these',
  )
