import { ignoreElements, tap, type Observable } from 'rxjs'
import { encodeRow, type Row } from '../codec/row.js'
import { showBoard$, type Scene } from './board/show.js'
import { coloursFor } from './colours.js'
import { rowLine } from './row-line.js'

/** Shows events as they come: as JSON, one object a line; as a table on a terminal; as plain lines elsewhere. */
export const showRows$ = (rows$: Observable<Row>, scene: Scene, json: boolean): Observable<never> => {
  const { output, names } = scene
  if (json) return printRows$(rows$, output, encodeRow)
  if (output.isTTY && process.env['TERM'] !== 'dumb') return showBoard$(rows$, scene)
  const { red } = coloursFor(output)
  return printRows$(rows$, output, (row) => (isFailure(row) ? red(rowLine(row, names)) : rowLine(row, names)))
}

const printRows$ = (rows$: Observable<Row>, output: NodeJS.WritableStream, text: (row: Row) => string) =>
  rows$.pipe(
    tap((row) => output.write(`${text(row)}\n`)),
    ignoreElements(),
  )

const isFailure = (row: Row): boolean => 'event' in row && row.event._tag === 'Left'
