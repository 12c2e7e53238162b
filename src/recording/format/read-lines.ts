import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Subscription } from 'rxjs'

/** A `file:` URL, such as `new URL('market.ndjson', import.meta.url)`. */
export interface FileUrl {
  readonly href: string
}

/** The source of a recording: a file by its path or `file:` URL, or an iterable of chunks of text or bytes. */
export type RecordingSource =
  string | FileUrl | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** Maximum length of a line, in characters. Bounds the memory for a source without line ends. */
export const maxLineLength = 2 ** 22

/** Number of chunks after which the reader yields to the event loop: an iterable without rows must not block it. */
const chunksPerTurn = 256

/**
 * The lines of a source, in one array per chunk. A line above the maximum length is the last line, and may be cut off.
 * Rejects when the source fails. `closing` ends the reading, and destroys a Node stream that is waiting for data.
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
  const rest = new UnfinishedLine()
  let chunkCount = 0
  for await (const chunk of chunks) {
    const [first = '', ...others] = decodeText(chunk, decoder).split('\n')
    rest.append(first)
    if (others.length > 0) {
      const last = others.pop() ?? ''
      yield [rest.take(), ...others]
      rest.append(last)
    }
    if (closing.closed) return
    if (rest.length > maxLineLength) break
    if (++chunkCount % chunksPerTurn === 0) await nextTurn()
  }
  rest.append(decoder.end())
  if (rest.length > 0) yield [rest.take()]
}

/** A line whose end has not been read. Its parts are joined once: a source may consist of many small chunks. */
class UnfinishedLine {
  length = 0
  private parts: string[] = []

  append(part: string): void {
    this.parts.push(part)
    this.length += part.length
  }

  take(): string {
    const line = this.parts.join('')
    this.parts = []
    this.length = 0
    return line
  }
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
