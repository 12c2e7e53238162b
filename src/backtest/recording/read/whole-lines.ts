import type { Subscription } from 'rxjs'
import { nextTurn } from '../../../base/time/clock.js'

/** Maximum length of a line, in bytes. Bounds the memory for a source without line ends. */
export const maxLineBytes = 2 ** 22

/** Number of chunks after which the reader yields to the event loop: an iterable without rows must not block it. */
const chunksPerTurn = 256

export const lineEnd = 0x0a

/** The index after the line that starts at an index, and after its line end. */
export const endOfLine = (bytes: Uint8Array, start: number): number => {
  const at = bytes.indexOf(lineEnd, start)
  return at < 0 ? bytes.length : at + 1
}

/**
 * The bytes of a source, in pieces of whole lines. A line above the maximum length ends the text, and may be cut off. Throws
 * when the source fails, after all complete lines before. `closing` ends the reading.
 */
export async function* readWholeLines(
  source: AsyncIterable<Uint8Array>,
  closing: Subscription,
): AsyncGenerator<Uint8Array, void> {
  /** The line whose end has not been read. A copy: the source may write the next chunk to the same memory. */
  let rest: Uint8Array = new Uint8Array()
  let chunkCount = 0
  for await (const bytes of source) {
    const end = bytes.lastIndexOf(lineEnd) + 1
    // Only the line that was cut off is copied, not the whole chunk.
    const first = rest.length > 0 ? bytes.indexOf(lineEnd) + 1 : 0
    if (first > 0) yield joined(rest, bytes.subarray(0, first))
    if (end > first) yield bytes.subarray(first, end)
    rest = end > 0 ? bytes.slice(end) : joined(rest, bytes)
    if (closing.closed) return
    if (rest.length > maxLineBytes) break
    if (++chunkCount % chunksPerTurn === 0) await nextTurn()
  }
  if (rest.length > 0) yield rest
}

const joined = (start: Uint8Array, end: Uint8Array): Uint8Array => {
  const all = new Uint8Array(start.length + end.length)
  all.set(start)
  all.set(end, start.length)
  return all
}
