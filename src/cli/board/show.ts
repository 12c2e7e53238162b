import {
  asyncScheduler,
  connect,
  defer,
  finalize,
  ignoreElements,
  last,
  map,
  merge,
  scan,
  startWith,
  takeUntil,
  tap,
  timer,
  withLatestFrom,
  type Observable,
} from 'rxjs'
import type { Address } from '../../domain/address.js'
import type { Row } from '../../recording/format/row.js'
import type { TokenNames } from '../tokens/token-names.js'
import { coloursFor } from '../output/colours.js'
import { emptyBoard, updateBoard } from './board.js'
import { drawBoard, type BoardView, type Header } from './draw.js'
import { logEvent } from './event-log.js'
import { createRedraw } from './redraw.js'

/** Interval between two redraws, in ms. */
const redrawInterval = 125

export interface BoardOptions {
  readonly tokens: readonly Address[]
  readonly names: TokenNames
  readonly hasDepth: boolean
  /** Lines above the table. */
  readonly header: Header | undefined
  /** A line below the table. */
  readonly note: string | undefined
  readonly output: NodeJS.WriteStream
  /** Time of the current event for the event log, in ms since the Unix epoch. Default: that of its row. */
  readonly loggedAt?: () => number
}

/** Redraws the board in place until `rows$` completes or is unsubscribed. The last view stays on the terminal. */
export const showBoard$ = (rows$: Observable<Row>, options: BoardOptions): Observable<never> =>
  defer(() => {
    const { names, output } = options
    const redraw = createRedraw(output)
    const colours = coloursFor(output)
    const draw = (view: BoardView) =>
      redraw.draw(drawBoard(view, { names, colours, now: asyncScheduler.now() }, output))
    return view$(rows$, options).pipe(
      tap(draw),
      ignoreElements(),
      finalize(() => redraw.done()),
    )
  })

/** The current view once per redraw interval, and the last view on completion. */
const view$ = (
  rows$: Observable<Row>,
  { tokens, names, hasDepth, header, note, loggedAt }: BoardOptions,
): Observable<BoardView> => {
  const initial: BoardView = { board: emptyBoard(tokens), events: [], hasDepth, header, note }
  const update = ({ board, events, ...rest }: BoardView, row: Row): BoardView => ({
    ...rest,
    board: updateBoard(board, row),
    events: logEvent(events, board, loggedAt === undefined ? row : { ...row, at: loggedAt() }, names),
  })
  return rows$.pipe(
    scan(update, initial),
    startWith(initial),
    connect((current$) => {
      const last$ = current$.pipe(last())
      const sampled$ = timer(0, redrawInterval).pipe(
        withLatestFrom(current$),
        map(([, view]) => view),
      )
      return merge(sampled$.pipe(takeUntil(last$)), last$)
    }),
  )
}
