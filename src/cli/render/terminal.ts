import pc from 'picocolors'
import { EMPTY, timer } from 'rxjs'
import { grouped } from '../../backtest/results/format.js'
import type { Io, Variables } from '../io.js'
import { fit } from './table.js'

export type Colours = ReturnType<typeof coloursFor>

/** The properties of an output stream that decide on colours. */
export interface Sink {
  readonly isTTY?: boolean
}

/**
 * Colours on a terminal and none elsewhere; NO_COLOR disables and FORCE_COLOR enables them. The default of picocolors
 * would also colour pipes in CI, and everything on Windows.
 */
export const coloursFor = (sink: Sink, variables: Variables) => {
  const { green, yellow, red, dim, bold } = pc.createColors(hasColours(sink, variables))
  // `dim`: for headings and for values that are not current.
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

const escape = '\u001b['
const enterScreen = `${escape}?1049h`
const leaveScreen = `${escape}?1049l`
const hideCursor = `${escape}?25l`
const showCursor = `${escape}?25h`
const home = `${escape}H`
const clearToEndOfLine = `${escape}K`
const clearBelow = `${escape}J`

/**
 * Draws lines on a screen of their own. The lines must not be wider than the terminal, and must leave one row free. `done` prints
 * the last lines below the earlier output, which the terminal shows again.
 *
 * Each drawing is one write, so that the terminal never shows a partial view, and starts in the first row: what is typed, or a
 * change of the size, moves the previous lines, and an old value must not stay on the screen.
 */
export const createRedraw = (output: Pick<NodeJS.WriteStream, 'write'>) => {
  let text = ''
  const leave = (): void => void output.write(`${leaveScreen}${text}${showCursor}`)
  output.write(`${enterScreen}${hideCursor}`)
  // The terminal must be as before if the process exits early.
  process.once('exit', leave)
  return {
    draw: (lines: readonly string[]): void => {
      // Clears before the text: behind a line as wide as the terminal, many terminals would clear its last character.
      text = lines.map((line) => `${clearToEndOfLine}${line}\n`).join('')
      output.write(`${home}${text}${clearBelow}`)
    },
    done: (): void => {
      process.off('exit', leave)
      leave()
    },
  }
}

/** Interval between two redraws, in ms. */
const redrawInterval = 250

/** Redraws one line on standard error, if that is a terminal. */
export const showProgressLine = ({ stderr, env }: Pick<Io, 'stderr' | 'env'>, line: () => string) => {
  const isShown = canRedraw(stderr, env)
  const clear = isShown ? `\r${clearToEndOfLine}` : ''
  const redraw$ = isShown ? timer(0, redrawInterval) : EMPTY
  const subscription = redraw$.subscribe(
    () => void stderr.write(`${clear}${fit(line(), stderr.columns - 1)}`),
  )
  return {
    /** Prints a line that stays, above the progress, on standard error unless another output is given. */
    print: (text: string, output = stderr): void => {
      stderr.write(clear)
      output.write(`${text}\n`)
    },
    /** Removes the progress. */
    hide: (): void => {
      subscription.unsubscribe()
      stderr.write(clear)
    },
  }
}
