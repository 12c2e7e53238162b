import type { Subscription } from 'rxjs'
import { nextTurn } from '../../time/next-turn.js'
import type { Chunks } from './iterable-opener.js'

/** Maximum length of a line, in characters. Bounds the memory for a source without line ends. */
export const maxLineLength = 2 ** 22

/** Number of chunks after which the reader yields to the event loop: an iterable without rows must not block it. */
const chunksPerTurn = 256

/**
 * The lines of a source in one array per chunk. A line above the maximum length is the last line, and may
 * be cut off. Throws when the source fails, after all complete lines before. `closing` ends the reading.
 */
export async function* readLines(
  source: Chunks,
  closing: Subscription,
): AsyncGenerator<readonly string[], void> {
  // Keeps each byte order mark: concatenated files have several.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const rest = new UnfinishedLine()
  let chunkCount = 0
  for await (const chunk of source) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const [first = '', ...others] = text.split('\n')
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
  rest.append(decoder.decode())
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
