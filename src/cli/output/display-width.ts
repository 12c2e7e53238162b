import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter()

const plainAscii = /^[\x20-\x7e]*$/

// The flag `v` is newer than the language version of the sources.
const emoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, 'v')

/** The number of terminal columns of a text without escape sequences: 2 for most Asian characters and emoji, 0 for marks. */
export const displayWidth = (text: string): number =>
  plainAscii.test(text)
    ? text.length
    : sumOf(Array.from(graphemes.segment(text), ({ segment }) => graphemeWidth(segment)))

/**
 * Terminals combine the characters of an emoji, and those of Hangul. They draw any other character separately, for
 * example a skin tone after a letter.
 */
const graphemeWidth = (grapheme: string): number => {
  const width = stringWidth(grapheme)
  if (grapheme.length === 1 || emoji.test(grapheme)) return width
  return Math.max(width, sumOf(Array.from(grapheme.normalize('NFC'), (each) => stringWidth(each))))
}

/** Cuts a text to a number of terminal columns, at the end of a grapheme. */
export const fit = (text: string, width: number): string => {
  let used = 0
  let end = 0
  for (const { segment, index } of graphemes.segment(text)) {
    if (used < width) end = index
    used += graphemeWidth(segment)
    if (used > width) return width < 1 ? '' : `${text.slice(0, end)}…`
  }
  return text
}

/** Cuts the middle of a text, so that its start and its end fit into a number of terminal columns. */
export const fitMiddle = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text
  const start = fit(text, Math.ceil(width / 2))
  const free = width - displayWidth(start)
  let used = 0
  let from = text.length
  for (const { segment, index } of [...graphemes.segment(text)].reverse()) {
    used += graphemeWidth(segment)
    if (used > free) break
    from = index
  }
  return start + text.slice(from)
}

/** Adds spaces after a text, up to a number of terminal columns. */
export const padEnd = (text: string, width: number): string => text + missingSpaces(text, width)

/** Adds spaces before a text, up to a number of terminal columns. */
export const padStart = (text: string, width: number): string => missingSpaces(text, width) + text

const missingSpaces = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text)))

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0)
