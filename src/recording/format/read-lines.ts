import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Subscription } from 'rxjs'

/** A `file:` URL, such as `new URL('market.ndjson', import.meta.url)`. */
export interface FileUrl {
  readonly href: string
}

/** The source of a recording: a file by its path or `file:` URL, or an iterable of chunks of text or bytes. */
export type RecordingSource =
  string | FileUrl | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** Maximum length of a line, in characters. Bounds the memory for a source without line ends. */
const maxLineLength = 2 ** 22

/**
 * The lines of a source, in one array per chunk. Rejects when the source fails. `closing` destroys a Node stream that is
 * waiting for data.
 */
export async function* readLines(
  source: RecordingSource,
  closing: Subscription,
): AsyncGenerator<readonly string[], void> {
  const decoder = new StringDecoder('utf8')
  const chunks = chunksOf(source)
  closing.add(() => {
    if (chunks instanceof Readable) chunks.destroy()
  })
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decodeText(chunk, decoder)).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines
    if (rest.length > maxLineLength) break
  }
  rest += decoder.end()
  if (rest !== '') yield [rest]
}

const chunksOf = (
  source: RecordingSource,
): Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> => {
  if (typeof source === 'string') return createReadStream(source) as AsyncIterable<Uint8Array>
  return 'href' in source ? (createReadStream(new URL(source.href)) as AsyncIterable<Uint8Array>) : source
}

const decodeText = (chunk: string | Uint8Array, decoder: StringDecoder): string =>
  typeof chunk === 'string'
    ? chunk
    : decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
