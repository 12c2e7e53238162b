import { ignoreElements, tap, type Observable } from 'rxjs'
import { encodeRow } from '../../recording/format/row-codec.js'
import type { Row } from '../../recording/format/row.js'
import { showBoard$, type BoardOptions } from '../board/show.js'
import { coloursFor } from '../output/colours.js'
import { rowLine } from '../output/row-line.js'

/** Shows events as they come: as JSON, one object a line; as a table on a terminal; as plain lines elsewhere. */
export const showRows$ = (rows$: Observable<Row>, scene: BoardOptions, json: boolean): Observable<never> =>
  !json && canRedraw(scene.output) ? showBoard$(rows$, scene) : printRows$(rows$, scene, json)

/** A terminal that does not know its size, as in some containers, has room for nothing. */
const canRedraw = ({ isTTY, columns }: NodeJS.WriteStream): boolean =>
  isTTY && columns > 0 && process.env['TERM'] !== 'dumb'

/** Prints each event on a line of its own, as JSON or for people. */
export const printRows$ = (
  rows$: Observable<Row>,
  { output, names }: Pick<BoardOptions, 'output' | 'names'>,
  json: boolean,
): Observable<never> => {
  const { red } = coloursFor(output)
  const plain = (row: Row) => (isFailure(row) ? red(rowLine(row, names)) : rowLine(row, names))
  const text = json ? encodeRow : plain
  return rows$.pipe(
    tap((row) => output.write(`${text(row)}\n`)),
    ignoreElements(),
  )
}

const isFailure = (row: Row): boolean => 'event' in row && row.event._tag === 'Left'
