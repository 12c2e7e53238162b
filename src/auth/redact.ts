import { decodeEscapes, foldSpelling, partsWithLiteralEscape, type CanonicalText } from './canonical-text.js'
import type { Range, RunIndex } from './run-index.js'

/** Replaces each run of a secret in a text, in any spelling. The index contains folded runs. */
export const redact = (text: string, runs: RunIndex): string => {
  const ranges = foldedRanges(foldSpelling(text), decodeEscapes(text), runs)
  if (ranges.length === 0) return text
  let clean = ''
  let copied = 0
  for (const { start, end } of merged(ranges)) {
    clean += `${text.slice(copied, start)}[redacted]`
    copied = end
  }
  return clean + text.slice(copied)
}

/** Base64 ends with at most two characters of padding. */
const maxPadding = 2

/** Searches the text as it is too: a run may begin inside one escape sequence and end inside another. */
const foldedRanges = (text: string, decoded: CanonicalText | undefined, runs: RunIndex): readonly Range[] => {
  if (decoded === undefined) return paddedRanges(text, runs)
  const folded = { ...decoded, text: foldSpelling(decoded.text) }
  const ranges = [...paddedRanges(text, runs), ...originalRanges(folded, runs)]
  // If a run reaches farther, its part outside of the escape sequence is long enough to be found in `folded`.
  const reach = runs.longestRun - 1 + maxPadding
  for (const part of partsWithLiteralEscape(text, folded, reach)) ranges.push(...originalRanges(part, runs))
  return ranges
}

/** The ranges in the original text. */
const originalRanges = ({ text, offsets }: CanonicalText, runs: RunIndex): readonly Range[] =>
  paddedRanges(text, runs).map(({ start, end }) => ({ start: offsets[start] ?? 0, end: offsets[end] ?? 0 }))

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
