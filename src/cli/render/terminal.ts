import pc from 'picocolors'
import { timer } from 'rxjs'
import { grouped } from '../../backtest/results/format.js'
import type { Io, Variables } from '../io.js'
import { fit } from './table.js'

type Paint = (text: string) => string

export interface Colours {
  readonly live: Paint
  readonly waiting: Paint
  readonly failed: Paint
  readonly rising: Paint
  readonly falling: Paint
  /** For headings and for values that are not current. */
  readonly dim: Paint
  readonly token: Paint
}

/** The properties of an output stream that decide on colours. */
export interface Sink {
  readonly isTTY?: boolean
}

/**
 * Colours on a terminal and none elsewhere; NO_COLOR disables and FORCE_COLOR enables them. The default of picocolors
 * would also colour pipes in CI, and everything on Windows.
 */
export const coloursFor = (sink: Sink, variables: Variables): Colours => {
  const { green, yellow, red, dim, bold } = pc.createColors(hasColours(sink, variables))
  return { live: green, waiting: yellow, failed: red, rising: green, falling: red, dim, token: bold }
}

const hasColours = ({ isTTY = false }: Sink, { NO_COLOR, FORCE_COLOR, TERM }: Variables): boolean => {
  if (isSet(NO_COLOR)) return false
  return isSet(FORCE_COLOR) ? FORCE_COLOR !== '0' : isTTY && TERM !== 'dumb'
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

/** Adds separators to a decimal number, and changes no digit. */
export type NumberFormat = (decimal: string) => string

/** The format of numbers in the lines and tables of all commands: with commas on a terminal. Elsewhere, a program may read them. */
export const numberFormat =
  ({ isTTY = false }: Sink): NumberFormat =>
  (decimal) =>
    isTTY ? grouped(decimal) : decimal

/** A dumb terminal cannot move its cursor. A terminal of unknown size, as in some containers, reports 0 columns. */
export const canRedraw = ({ isTTY, columns }: NodeJS.WriteStream, { TERM }: Variables): boolean =>
  isTTY && columns > 0 && TERM !== 'dumb'

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
 * Each drawing is one write, so that the terminal never shows a partial view. After a change of its size, the terminal
 * may have wrapped or moved the previous lines: the screen is cleared, so that no old value stays on it.
 */
export const createRedraw = (output: Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>): Redraw => {
  let drawnLines = 0
  let { columns, rows } = output
  const restoreCursor = (): void => {
    // On Ctrl-C, the terminal prints ^C in the line of the cursor.
    output.write(`\r${clearBelow}${showCursor}`)
  }
  output.write(hideCursor)
  // The cursor must be visible again if the process exits early.
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

/** Interval between two redraws, in ms. */
const redrawInterval = 250

export interface ProgressLine {
  /** Prints a line that stays, above the progress. */
  readonly print: (line: string) => void
  /** Removes the progress. */
  readonly hide: () => void
}

/**
 * Redraws one line on standard error. Shows no progress unless that is a terminal, nor on one to which the command writes lines of
 * its own. `writesLines`: to standard output.
 */
export const showProgressLine = (
  { stdout, stderr, env }: Pick<Io, 'stdout' | 'stderr' | 'env'>,
  writesLines: boolean,
  line: () => string,
): ProgressLine => {
  const write = (text: string): void => void stderr.write(`${text}\n`)
  if (!canRedraw(stderr, env) || (writesLines && stdout.isTTY)) {
    return { print: write, hide: () => undefined }
  }
  const redraw = createRedraw(stderr)
  const subscription = timer(0, redrawInterval).subscribe(() =>
    redraw.draw([fit(line(), stderr.columns - 1)]),
  )
  return {
    print: (text) => {
      redraw.draw([])
      write(text)
    },
    hide: () => {
      subscription.unsubscribe()
      redraw.draw([])
      redraw.done()
    },
  }
}
