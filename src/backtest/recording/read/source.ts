import { Subscription } from 'rxjs'
import type { Publish } from '../../../base/diagnostics/messages.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import { gzipStart } from './file-part.js'
import { OpenableSource } from './openable-source.js'

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

export interface SourcePlatform {
  /** A string is the path of a file on Node, the text of a recording in a browser. Throws a `ConfigurationError` for a URL in a browser. */
  readonly namedSource: (part: string | FileUrl) => PlatformSource
  readonly gunzip: Gunzip
  readonly publish: Publish
}

/** `open`: the chunks of the source as they are. */
export interface PlatformSource extends Partial<Pick<OpenableSource, 'name' | 'file'>> {
  readonly open: (closing: Subscription) => Chunks
}

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
  const { name = defaultName, open, file } = sourceOf(platform, part)
  const opened = (closing = new Subscription()) => decompressed(bytesOf(open(closing)), platform.gunzip)
  return new OpenableSource(name, opened, file)
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

async function* decompressed(
  chunks: AsyncGenerator<Uint8Array, void>,
  gunzip: Gunzip,
): AsyncGenerator<Uint8Array, void> {
  try {
    let first = await chunks.next()
    while (first.done !== true && first.value.length === 0) first = await chunks.next()
    if (first.done === true) return
    const all = withFirst(first.value, chunks)
    yield* first.value[0] === gzipStart ? gunzip(all) : all
  } finally {
    await chunks.return()
  }
}

async function* withFirst<A>(first: A, rest: AsyncIterable<A>): AsyncGenerator<A, void> {
  yield first
  yield* rest
}

/** A text as UTF-8. Two texts must not share a character. */
async function* bytesOf(source: Chunks): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  for await (const chunk of source) {
    if (typeof chunk === 'string') yield encoder.encode(chunk)
    else if (chunk instanceof Uint8Array) yield chunk
    else throw new Error(`a chunk of type ${typeof chunk}`)
  }
}
