import { ignoreElements, tap, type Observable } from 'rxjs'
import type { Row } from '../../recording/format/row.js'
import { showBoard$, type BoardOptions } from '../board/show.js'
import { coloursFor } from '../output/colours.js'
import { rowLine } from '../output/row-line.js'
import type { TokenNames } from '../tokens/token-names.js'
import { rowJson } from '../output/token-json.js'

/** Shows events as JSON lines, as a redrawn board on a terminal, or as plain lines elsewhere. */
export const showRows$ = (
  rows$: Observable<Row>,
  options: BoardOptions & PrintOptions,
  json: boolean,
): Observable<never> =>
  !json && canRedraw(options.output) ? showBoard$(rows$, options) : printRows$(rows$, options, json)

/** A dumb terminal cannot move its cursor. A terminal of unknown size, as in some containers, reports 0 columns. */
export const canRedraw = ({ isTTY, columns }: NodeJS.WriteStream): boolean =>
  isTTY && columns > 0 && process.env['TERM'] !== 'dumb'

interface PrintOptions {
  readonly output: NodeJS.WriteStream
  readonly names: TokenNames
}

/** Prints one line per event, as JSON or for people. */
export const printRows$ = (
  rows$: Observable<Row>,
  { output, names }: PrintOptions,
  json: boolean,
): Observable<never> => {
  const { failed } = coloursFor(output)
  const plainLine = (row: Row) => (isFailure(row) ? failed(rowLine(row, names)) : rowLine(row, names))
  const jsonLine = (row: Row) => rowJson(row, names)
  const lineOf = json ? jsonLine : plainLine
  return rows$.pipe(
    tap((row) => output.write(`${lineOf(row)}\n`)),
    ignoreElements(),
  )
}

const isFailure = (row: Row): boolean => 'event' in row && row.event._tag === 'Left'
