import { decodeEscapes, foldSpelling } from './canonical-text.js'
import type { Range, RunIndex } from './run-index.js'

/** Replaces each run of a secret in a text, in any spelling. The index contains folded runs. */
export const redact = (text: string, runs: RunIndex): string => {
  const ranges = [...plainRanges(text, runs), ...escapedRanges(text, runs)]
  if (ranges.length === 0) return text
  let clean = ''
  let copied = 0
  for (const { start, end } of merged(ranges)) {
    clean += `${text.slice(copied, start)}[redacted]`
    copied = end
  }
  return clean + text.slice(copied)
}

/** Searches the text as it is too: an escape sequence may begin before a run and include its first character. */
const plainRanges = (text: string, runs: RunIndex): readonly Range[] => paddedRanges(foldSpelling(text), runs)

const escapedRanges = (text: string, runs: RunIndex): readonly Range[] => {
  const decoded = decodeEscapes(text)
  if (decoded === undefined) return []
  const { offsets } = decoded
  return paddedRanges(foldSpelling(decoded.text), runs).map(({ start, end }) => ({
    start: offsets[start] ?? text.length,
    end: offsets[end] ?? text.length,
  }))
}

/** The ranges, with the padding of base64 after them. */
const paddedRanges = (text: string, runs: RunIndex): readonly Range[] =>
  runs.rangesIn(text).map(({ start, end }) => {
    if (text[end] !== '=') return { start, end }
    return { start, end: text[end + 1] === '=' ? end + 2 : end + 1 }
  })

/** Ranges that overlap or touch become one. */
const merged = (ranges: readonly Range[]): readonly Range[] => {
  const result: { readonly start: number; end: number }[] = []
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else result.push({ start, end })
  }
  return result
}
