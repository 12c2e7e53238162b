import type { Frame, Run } from './record.js'

// Sizes in pixels.
const cellWidth = 8.4
const lineHeight = 20
const padding = 16
const titleHeight = 36

const styles = `
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3}
.bold{font-weight:700}.dim{fill:#9198a1}.c1{fill:#ff7b72}.c2{fill:#56d364}.c3{fill:#e3b341}
.r{visibility:hidden;animation:1s step-end infinite}.r.end{visibility:visible}
@media(prefers-reduced-motion){.r{animation:none!important}}`

/** A picture that shows the frames one after the other, for 1 s each. Without animation it shows the last frame. */
export const svgOf = (title: string, frames: readonly Frame[], columns: number): string => {
  const spans = frames[0]?.flatMap((_, row) => spansOf(frames, row)) ?? []
  const used = Math.max(...spans.map(({ row }) => row)) + 1
  const width = Math.ceil(columns * cellWidth + 2 * padding)
  const height = titleHeight + used * lineHeight + padding
  const lengths = [...new Set(spans.map((span) => span.length))].filter((length) => length < frames.length)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    `<style>${styles}`,
    ...lengths.map((length) => keyframes(length, frames.length)),
    `</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#484f58"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (colour, index) => `<circle cx="${20 + index * 18}" cy="18" r="5.5" fill="${colour}"/>`,
    ),
    `<text class="dim" x="${width / 2}" y="23" text-anchor="middle">${escape(title)}</text>`,
    ...spans.map((span) => drawSpan(span, frames.length)),
    '</svg>\n',
  ].join('\n')
}

/** One row, for as long as it does not change. */
interface Span {
  readonly row: number
  readonly runs: readonly Run[]
  /** Index of the first frame, and the number of frames. */
  readonly start: number
  readonly length: number
}

const spansOf = (frames: readonly Frame[], row: number): readonly Span[] => {
  const spans: Span[] = []
  frames.forEach((frame, start) => {
    const runs = frame[row] ?? []
    const last = spans.at(-1)
    if (last !== undefined && JSON.stringify(last.runs) === JSON.stringify(runs)) {
      spans.splice(-1, 1, { ...last, length: last.length + 1 })
    } else spans.push({ row, runs, start, length: 1 })
  })
  return spans.filter(({ runs }) => runs.length > 0)
}

/** Shows a row for a number of frames, from the start of the animation. */
const keyframes = (length: number, frames: number): string =>
  `@keyframes k${length}{0%{visibility:visible}${((100 * length) / frames).toFixed(3)}%,to{visibility:hidden}}`

const drawSpan = ({ row, runs, start, length }: Span, frames: number): string => {
  const y = titleHeight + row * lineHeight + 15
  const texts = runs.map((run) => drawRun(run, y)).join('')
  if (length === frames) return texts
  const isLast = start + length === frames
  // A negative delay starts the animation in the middle, so that all rows are in step.
  const animation = `animation-name:k${length};animation-duration:${frames}s;animation-delay:${start === 0 ? 0 : start - frames}s`
  return `<g class="r${isLast ? ' end' : ''}" style="${animation}">${texts}</g>`
}

/** `textLength` keeps the columns aligned in any font. */
const drawRun = ({ column, text, style }: Run, y: number): string => {
  const x = (padding + column * cellWidth).toFixed(1)
  const length = text.length > 1 ? ` textLength="${(text.length * cellWidth).toFixed(1)}"` : ''
  return `<text${style === '' ? '' : ` class="${style}"`} x="${x}" y="${y}"${length}>${escape(text)}</text>`
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
