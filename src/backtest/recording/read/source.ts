import { Subscription } from 'rxjs'
import type { Publish } from '../../../base/diagnostics/messages.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'

/** The pieces of one source. */
export type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** A `file:` URL, such as `new URL('market.ndjson', import.meta.url)`. */
export interface FileUrl {
  readonly href: string
}

/** The part of a web `ReadableStream` that is used here. Not every browser, nor every `lib` of TypeScript, has its iterator. */
export interface WebStream {
  readonly getReader: () => {
    readonly read: () => Promise<{
      readonly done: boolean
      readonly value?: string | Uint8Array | undefined
    }>
    readonly cancel: () => Promise<void>
  }
}

/** A file by its path or `file:` URL, or an iterable or a `ReadableStream` of the pieces of a recording, text or bytes. */
export type RecordingPart = string | FileUrl | Chunks | WebStream

/** The source of a recording. An array is a list of sources, in order. */
export type RecordingSource = RecordingPart | readonly RecordingPart[]

/** A source that each replay reads from its start. */
export interface OpenableSource {
  /** Names the source in error messages. */
  readonly name: string
  /** `closing` ends a read that waits for data. Throws if the source cannot be opened. */
  readonly open: (closing: Subscription) => Chunks
  /** The bytes of the file, if the source is one: compressed or not. */
  readonly file?: FileBytes
}

/** Random access to the bytes of a file, which may grow. Each call rejects if the file cannot be read. */
export interface FileBytes {
  readonly size: () => Promise<number>
  /** Reads `length` bytes from a position on, or up to the end of the file. */
  readonly read: (position: number, length: number) => Promise<Uint8Array>
  readonly chunks: (position: number) => AsyncIterable<Uint8Array>
}

export interface SourcePlatform {
  /** A string is the path of a file on Node, the text of a recording in a browser. Throws a `ConfigurationError` for a URL in a browser. */
  readonly namedSource: (part: string | FileUrl) => PlatformSource
  readonly gunzip: Gunzip
  readonly publish: Publish
}

export type PlatformSource = Partial<OpenableSource> & Pick<OpenableSource, 'open'>

/** Damaged and truncated data throw, after all data before the damage that can be decompressed. */
export type Gunzip = (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array, void>

/** Throws a `ConfigurationError` for a value that is not a source. */
export const openableSources = (
  platform: SourcePlatform,
  source: RecordingSource,
): readonly OpenableSource[] =>
  isList(source)
    ? source.map((part, index) => openableSource(platform, part, `source ${index + 1}`))
    : [openableSource(platform, source)]

const isList = (source: RecordingSource): source is readonly RecordingPart[] => Array.isArray(source)

/** `defaultName`: the name of a source that is not a file. */
export const openableSource = (
  platform: SourcePlatform,
  part: RecordingPart,
  defaultName = 'the recording',
): OpenableSource => {
  const { name = defaultName, open, ...source } = sourceOf(platform, part)
  return { ...source, name, open: (closing) => decompressed(open(closing), platform.gunzip) }
}

const sourceOf = (platform: SourcePlatform, part: RecordingPart): PlatformSource => {
  const isObject = typeof part === 'object' && (part as unknown) !== null
  if (isObject && (Symbol.asyncIterator in part || Symbol.iterator in part || isWebStream(part)))
    return { open: iterableOpener(part) }
  if (typeof part !== 'string' && !(isObject && 'href' in part))
    throw new ConfigurationError(
      'source',
      'expected a path, a file URL, an iterable of text or bytes, or an array of these',
    )
  return platform.namedSource(part)
}

/** A later call throws for a stream of Node or of the web, and for an iterable that returns the same iterator: they can be read only once. */
const iterableOpener = (source: Chunks | WebStream): ((closing: Subscription) => Chunks) => {
  let previous: AsyncIterator<string | Uint8Array> | undefined
  return (closing) => {
    const isStream = isWebStream(source) || hasMethod(source, 'pipe')
    const iterator = previous && isStream ? previous : iteratorOf(source, closing)
    if (iterator === previous)
      throw new Error('the source can be read only once: give a path, or an iterable that starts anew')
    previous = iterator
    return { [Symbol.asyncIterator]: () => iterator }
  }
}

/** `for await` accepts the results of a synchronous iterator too. */
const iteratorOf = (
  source: Chunks | WebStream,
  closing: Subscription,
): AsyncIterator<string | Uint8Array> => {
  if (isWebStream(source)) return readWebStream(source, closing)
  if (hasMethod(source, 'destroy')) closing.add(() => void source.destroy())
  if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]()
  return source[Symbol.iterator]() as unknown as AsyncIterator<string | Uint8Array>
}

const hasMethod = <Name extends string>(value: object, name: Name): value is Record<Name, () => unknown> =>
  name in value && typeof (value as Record<Name, unknown>)[name] === 'function'

const isWebStream = (source: object): source is WebStream => hasMethod(source, 'getReader')

/** Its own iterator cannot end a read that waits for data, and is missing in some browsers. */
export async function* readWebStream(
  stream: WebStream,
  closing = new Subscription(),
): AsyncGenerator<string | Uint8Array, void> {
  const reader = stream.getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  closing.add(cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || value === undefined) return
      yield value
    }
  } finally {
    cancel()
  }
}

/** The first byte of gzip data. No recording in plain text starts with this control character. */
export const gzipStart = 0x1f

async function* decompressed(source: Chunks, gunzip: Gunzip): AsyncGenerator<string | Uint8Array, void> {
  const chunks = checked(source)
  try {
    let first = await chunks.next()
    while (first.done !== true && first.value.length === 0) first = await chunks.next()
    if (first.done === true) return
    if (first.value[0] === gzipStart) return yield* gunzip(bytesOf(first.value, chunks))
    yield first.value
    yield* chunks
  } finally {
    await chunks.return()
  }
}

async function* checked(source: Chunks): AsyncGenerator<string | Uint8Array, void> {
  for await (const chunk of source) {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw new Error(`a chunk of type ${typeof chunk}`)
    yield chunk
  }
}

async function* bytesOf(first: string | Uint8Array, chunks: Chunks): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  if (typeof first !== 'string') yield first
  for await (const chunk of chunks) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk
}
