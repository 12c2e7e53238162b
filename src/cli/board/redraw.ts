/** Draws lines in place on a terminal. The lines must not be wider than the terminal. */
export interface Redraw {
  readonly draw: (lines: readonly string[]) => void
  /** Shows the cursor again. The last lines stay on the terminal. */
  readonly done: () => void
}

const escape = '\u001b['
const hideCursor = `${escape}?25l`
const showCursor = `${escape}?25h`
const clearToEndOfLine = `${escape}K`
const clearBelow = `${escape}J`

const up = (lines: number): string => (lines === 0 ? '' : `${escape}${lines}A\r`)

/** Draws with one write each, so that the terminal never shows a half-drawn state. */
export const createRedraw = (output: Pick<NodeJS.WriteStream, 'write'>): Redraw => {
  let drawnLines = 0
  const restoreCursor = (): void => {
    output.write(showCursor)
  }
  output.write(hideCursor)
  // The cursor must come back when the process exits early.
  process.once('exit', restoreCursor)
  return {
    draw: (lines) => {
      const text = lines.map((line) => `${line}${clearToEndOfLine}\n`).join('')
      output.write(`${up(drawnLines)}${text}${clearBelow}`)
      drawnLines = lines.length
    },
    done: () => {
      process.off('exit', restoreCursor)
      restoreCursor()
    },
  }
}
