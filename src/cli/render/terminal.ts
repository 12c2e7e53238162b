import pc from 'picocolors'
import { EMPTY, timer } from 'rxjs'
import { bigintAsText, withPlainDecimals } from '../../base/domain/plain-decimal.js'
import { escapeUnsafe } from '../../base/errors/text.js'
import { grouped } from '../../view/format.js'
import type { Io, Variables } from '../io.js'
import { fit } from './table.js'

export type Colours = ReturnType<typeof coloursFor>

export interface Sink {
  readonly isTTY?: boolean
}

/** NO_COLOR disables and FORCE_COLOR enables colours. picocolors itself would also colour pipes in CI, and everything on Windows. */
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

/**
 * A value as JSON for the output of a command: no reader loses digits of a bigint, which becomes a decimal string, numbers
 * have no exponent, and no text of a service or a file changes how a terminal shows other text. `undefined` has no JSON.
 */
export const outputJson = (value: unknown, indent?: number): string =>
  value === undefined
    ? 'undefined'
    : escapeUnsafe(withPlainDecimals(JSON.stringify(value, bigintAsText, indent)))

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
 * Draws lines, not wider than the terminal, on a screen of their own; one row must stay free. `done` prints the last lines below the
 * earlier output. Each drawing is one write, so that no partial view is shown, and starts in the first row: typing or a change of the
 * size moves the previous lines, and an old value must not stay.
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
    hide: (): void => {
      subscription.unsubscribe()
      stderr.write(clear)
    },
  }
}
