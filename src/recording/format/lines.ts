import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Subscription } from 'rxjs'

/** A `file:` URL, as `new URL('market.ndjson', import.meta.url)` gives it. */
export interface FileUrl {
  readonly href: string
}

/** What a recording is read from: a file, by its path or `file:` URL, or pieces of text or bytes as they come. */
export type RecordingSource =
  string | FileUrl | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** A longer line is no line of a recording, in characters: what has no end must not fill the memory. */
export const longestLine = 2 ** 22

/**
 * The lines of a source, as many at once as a piece of it brings. Fails as the source does. A stream that has no more to
 * give yet is let go of when nobody waits for it any longer.
 */
export async function* linesOf(
  source: RecordingSource,
  closing: Subscription,
): AsyncGenerator<readonly string[], void> {
  const decoder = new StringDecoder('utf8')
  const pieces = piecesOf(source)
  closing.add(() => {
    if (pieces instanceof Readable) pieces.destroy()
  })
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + textOf(piece, decoder)).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines
    if (rest.length > longestLine) break
  }
  rest += decoder.end()
  if (rest !== '') yield [rest]
}

const piecesOf = (
  source: RecordingSource,
): Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> => {
  if (typeof source === 'string') return createReadStream(source) as AsyncIterable<Uint8Array>
  return 'href' in source ? (createReadStream(new URL(source.href)) as AsyncIterable<Uint8Array>) : source
}

const textOf = (piece: string | Uint8Array, decoder: StringDecoder): string =>
  typeof piece === 'string'
    ? piece
    : decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
