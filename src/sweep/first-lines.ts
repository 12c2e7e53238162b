import { Subscription } from 'rxjs'
import { lineEnd, readWholeLines } from '../recording/read/read-entries.js'
import type { OpenableSource } from '../recording/read/source.js'

/** Whole lines of a file. */
export interface Lines {
  readonly bytes: Uint8Array
  /** Number of lines in it that are not empty. */
  readonly lines: number
  /** The last of these, and its number in the file, from 1. */
  readonly lastLine: Uint8Array
  readonly lineNumber: number
}

/** The first lines of a file, decompressed: at most `most` that are not empty. */
export async function* firstLines(file: OpenableSource, most: number): AsyncGenerator<Lines, void> {
  if (most === 0) return
  const closing = new Subscription()
  let left = most
  let lineNumber = 0
  try {
    for await (const bytes of readWholeLines(file.open(closing), closing)) {
      let lines = 0
      let end = 0
      let last: Pick<Lines, 'lastLine' | 'lineNumber'> = { lastLine: bytes, lineNumber }
      while (end < bytes.length && lines < left) {
        const start = end
        const at = bytes.indexOf(lineEnd, start)
        end = at < 0 ? bytes.length : at + 1
        lineNumber++
        const line = bytes.subarray(start, end)
        if (isEmpty(line)) continue
        lines++
        last = { lastLine: line, lineNumber }
      }
      left -= lines
      yield { bytes: bytes.subarray(0, end), lines, ...last }
      if (left === 0) return
    }
  } finally {
    closing.unsubscribe()
  }
}

const isEmpty = (line: Uint8Array): boolean => (line[0] ?? 0) <= 0x20 && textOf(line).trim() === ''

/** The first lines of several files, as one source. Each file ends a line. */
export const prefixSource = (files: readonly OpenableSource[], lines: number): OpenableSource => ({
  name: `the first ${lines} lines of the recording`,
  open: () => prefixChunks(files, lines),
})

async function* prefixChunks(
  files: readonly OpenableSource[],
  lines: number,
): AsyncGenerator<string | Uint8Array, void> {
  let left = lines
  for (const file of files) {
    for await (const part of firstLines(file, left)) {
      left -= part.lines
      yield part.bytes
    }
    yield '\n'
  }
}

export const textOf = (line: Uint8Array): string => new TextDecoder().decode(line)
