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

/** Also searches the original text: a run may begin inside one escape sequence and end inside another. */
const foldedRanges = (text: string, decoded: CanonicalText | undefined, runs: RunIndex): readonly Range[] => {
  if (decoded === undefined) return paddedRanges(text, runs)
  const folded = { ...decoded, text: foldSpelling(decoded.text) }
  const ranges = [...paddedRanges(text, runs), ...originalRanges(folded, runs)]
  // If a run is longer, its part outside of the escape sequence is long enough to be found in `folded`.
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

/** A text in a form in which all spellings of a secret are equal. */
interface CanonicalText {
  readonly text: string
  /** The offset of each character in the original text, and the length of the original text at the end. */
  readonly offsets: readonly number[]
}

/**
 * Equates upper and lower case, the two alphabets of base64, and a `+` with the space that a form decoder makes of it.
 * Keeps the length.
 */
export const foldSpelling = (text: string): string =>
  text
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replace(/[- ]/g, '+')
    .replaceAll('_', '/')

/**
 * A character as URLs, JSON, JavaScript and HTML escape it, once or repeatedly. The lookbehind keeps the search linear
 * for a text of backslashes.
 */
const escapeSequence =
  /%(?:25)*([\da-f]{2})|(?<!\\)\\+(?:(\/)|(?:u00|x)([\da-f]{2}))|&(?:amp;)*#(?:x0*([\da-f]{2})|0*(\d{2,3}));/gi

/** The text with each escape sequence replaced by its character; `undefined` if it has none. */
export const decodeEscapes = (text: string): CanonicalText | undefined => {
  const offsets: number[] = []
  let decoded = ''
  let copied = 0
  const copyUntil = (end: number): void => {
    decoded += text.slice(copied, end)
    while (copied < end) offsets.push(copied++)
  }
  for (const match of text.matchAll(escapeSequence)) {
    const character = characterOf(match)
    if (character === undefined) continue
    copyUntil(match.index)
    decoded += character
    offsets.push(match.index)
    copied = match.index + match[0].length
  }
  if (copied === 0) return undefined
  copyUntil(text.length)
  offsets.push(text.length)
  return { text: decoded, offsets }
}

/**
 * For each decoded escape sequence: the sequence as it is, with up to `reach` decoded characters on each side. In `%2`
 * before `abc%20d`, the characters `%2a` are not an escape sequence, but `%20` is one.
 */
function* partsWithLiteralEscape(
  original: string,
  { text, offsets }: CanonicalText,
  reach: number,
): Generator<CanonicalText> {
  for (let at = 0; at < text.length; at++) {
    const next = at + 1
    const start = offsets[at] ?? 0
    const end = offsets[next] ?? 0
    if (end - start === 1) continue
    const from = Math.max(0, at - reach)
    const literal = original.slice(start, end)
    yield {
      text: text.slice(from, at) + literal + text.slice(next, next + reach),
      offsets: [
        ...offsets.slice(from, at),
        ...Array.from(literal, (_, index) => start + index),
        ...offsets.slice(next, next + reach + 1),
      ],
    }
  }
}

/** A secret consists of printable ASCII characters; any other escape sequence stays as it is. */
const characterOf = ([, url, slash, json, hex, decimal]: RegExpExecArray): string | undefined => {
  if (slash !== undefined) return slash
  const code = decimal === undefined ? parseInt(url ?? json ?? hex ?? '', 16) : Number(decimal)
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : undefined
}
