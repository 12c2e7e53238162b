import type { Subscription } from 'rxjs'

/** The pieces of one source. */
export type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** True for an iterable and for a web stream, which is no iterable in some browsers. */
export const isIterable = (value: object): value is Chunks =>
  Symbol.asyncIterator in value || Symbol.iterator in value || isWebStream(value)

/**
 * A function that opens an iterable. Throws on a later call if the iterable can be read only once. `closing` ends a read
 * that waits for data.
 */
export const iterableOpener = (source: Chunks): ((closing: Subscription) => Chunks) => {
  let previous: unknown
  return (closing) => {
    if (previous !== undefined && isStream(source)) throw readOnce()
    const chunks = isWebStream(source) ? readWebStream(source, closing) : source
    destroyOnClose(chunks, closing)
    const opened = openedOf(chunks)
    if (opened.iterator === previous) throw readOnce()
    previous = opened.iterator
    return opened.chunks
  }
}

/** Iterates once. An iterable that can be read only once returns the same iterator each time. */
const openedOf = (chunks: Chunks): { readonly iterator: unknown; readonly chunks: Chunks } => {
  if (Symbol.asyncIterator in chunks) {
    const iterator = chunks[Symbol.asyncIterator]()
    return { iterator, chunks: { [Symbol.asyncIterator]: () => iterator } }
  }
  const iterator = chunks[Symbol.iterator]()
  return { iterator, chunks: { [Symbol.iterator]: () => iterator } }
}

const readOnce = (): Error =>
  new Error('the source can be read only once: give a path, or an iterable that starts anew')

const hasMethod = <Name extends string>(value: object, name: Name): value is Record<Name, () => unknown> =>
  name in value && typeof (value as Record<Name, unknown>)[name] === 'function'

/** A stream of Node or of the web. It can be read only once, although each iterator is another object. */
const isStream = (source: Chunks): boolean => hasMethod(source, 'pipe') || isWebStream(source)

/** Ends a read of a Node stream that waits for data. */
const destroyOnClose = (chunks: Chunks, closing: Subscription): void => {
  if (hasMethod(chunks, 'destroy')) closing.add(() => void chunks.destroy())
}

/** The part of a web `ReadableStream` that is used here. */
interface WebStream {
  readonly getReader: () => {
    readonly read: () => Promise<{ readonly done: boolean; readonly value?: string | Uint8Array }>
    readonly cancel: () => Promise<void>
  }
}

const isWebStream = (source: object): source is WebStream => hasMethod(source, 'getReader')

/** Its own iterator cannot end a read that waits for data, and is missing in some browsers. */
async function* readWebStream(
  stream: WebStream,
  closing: Subscription,
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
