import type { Subscription } from 'rxjs'
import { nextTurn } from '../../../base/time/macrotask.js'
import type { Chunks } from './source.js'

/** Maximum length of a line, in characters. Bounds the memory for a source without line ends. */
export const maxLineLength = 2 ** 22

/** Number of chunks after which the reader yields to the event loop: an iterable without rows must not block it. */
const chunksPerTurn = 256

/** The byte at the end of a line. */
export const lineEnd = 0x0a

/** A character has at most this many bytes for each code unit of its text. */
const maxBytesPerCodeUnit = 3

/** The index after the line that starts at an index, and after its line end. */
export const endOfLine = (bytes: Uint8Array, start: number): number => {
  const at = bytes.indexOf(lineEnd, start)
  return at < 0 ? bytes.length : at + 1
}

/**
 * The bytes of a source, in pieces of whole lines, as UTF-8. A line above the maximum length ends the text, and may be cut
 * off. Throws when the source fails, after all complete lines before. `closing` ends the reading.
 */
export async function* readWholeLines(
  source: Chunks,
  closing: Subscription,
): AsyncGenerator<Uint8Array, void> {
  const unfinished = new UnfinishedLine()
  let chunkCount = 0
  for await (const chunk of source) {
    const end = endOfLastLine(chunk)
    // Only the line that was cut off is copied, not the whole chunk.
    const cut = end > 0 && unfinished.minLength > 0 ? endOfFirstLine(chunk) : 0
    for (const whole of [partOf(chunk, 0, cut), partOf(chunk, cut, end)]) {
      if (whole.length === 0) continue
      unfinished.append(whole)
      yield unfinished.take()
    }
    // A copy: the source may write the next chunk to the same memory.
    const rest = partOf(chunk, end)
    unfinished.append(typeof rest === 'string' ? rest : new Uint8Array(rest))
    if (closing.closed) return
    if (unfinished.minLength > maxLineLength) break
    if (++chunkCount % chunksPerTurn === 0) await nextTurn()
  }
  if (unfinished.minLength > 0) yield unfinished.take()
}

/** The index after the last line end; 0 if there is none. */
const endOfLastLine = (chunk: string | Uint8Array): number =>
  (typeof chunk === 'string' ? chunk.lastIndexOf('\n') : chunk.lastIndexOf(lineEnd)) + 1

const endOfFirstLine = (chunk: string | Uint8Array): number =>
  (typeof chunk === 'string' ? chunk.indexOf('\n') : chunk.indexOf(lineEnd)) + 1

const partOf = (chunk: string | Uint8Array, from: number, to?: number): string | Uint8Array =>
  typeof chunk === 'string' ? chunk.slice(from, to) : chunk.subarray(from, to)

/** A line whose end has not been read. Its parts are joined once: a source may consist of many small chunks. */
class UnfinishedLine {
  /** The line has at least this many characters. */
  minLength = 0
  private parts: (string | Uint8Array)[] = []
  private readonly encoder = new TextEncoder()

  append(part: string | Uint8Array): void {
    if (part.length === 0) return
    const previous = this.parts.at(-1)
    // A character may consist of two code units, in two chunks.
    if (typeof part === 'string' && typeof previous === 'string')
      this.parts[this.parts.length - 1] = previous + part
    else this.parts.push(part)
    this.minLength += typeof part === 'string' ? part.length : part.length / maxBytesPerCodeUnit
  }

  take(): Uint8Array {
    const bytes = this.parts.map((part) => (typeof part === 'string' ? this.encoder.encode(part) : part))
    this.parts = []
    this.minLength = 0
    return joined(bytes)
  }
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
