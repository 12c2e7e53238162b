/** Draws lines in place on a terminal. The lines must not be wider than the terminal, and must leave one row free. */
export interface Redraw {
  readonly draw: (lines: readonly string[]) => void
  /** Shows the cursor again, on an empty line below the last lines, which stay on the terminal. */
  readonly done: () => void
}

const escape = '\u001b['
const hideCursor = `${escape}?25l`
const showCursor = `${escape}?25h`
const clearToEndOfLine = `${escape}K`
const clearBelow = `${escape}J`
const clearScreen = `${escape}H${escape}2J`

const up = (lines: number): string => (lines === 0 ? '' : `${escape}${lines}A\r`)

/**
 * Draws with one write each, so that the terminal never shows a half-drawn state. After a change of its size, the
 * terminal may have wrapped or moved the previous lines: the screen is cleared, so that no old value stays on it.
 */
export const createRedraw = (output: Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>): Redraw => {
  let drawnLines = 0
  let { columns, rows } = output
  const restoreCursor = (): void => {
    // On Ctrl-C, the terminal prints ^C in the line of the cursor.
    output.write(`\r${clearBelow}${showCursor}`)
  }
  output.write(hideCursor)
  // The cursor must come back when the process exits early.
  process.once('exit', restoreCursor)
  return {
    draw: (lines) => {
      // Clears before the text: behind a line as wide as the terminal, many terminals would clear its last character.
      const text = lines.map((line) => `${clearToEndOfLine}${line}\n`).join('')
      const isResized = output.columns !== columns || output.rows !== rows
      output.write(`${isResized ? clearScreen : up(drawnLines)}${text}${clearBelow}`)
      columns = output.columns
      rows = output.rows
      drawnLines = lines.length
    },
    done: () => {
      process.off('exit', restoreCursor)
      restoreCursor()
    },
  }
}
