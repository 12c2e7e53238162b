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
import { createUpdate, emptyDisplay } from '../../view/display.js'
import type { DisplayToken } from '../../view/token-state.js'
import type { Row } from '../../backtest/recording/codec/row.js'
import type { Variables } from '../io.js'
import { coloursFor, createRedraw } from './terminal.js'
import { drawBoard, type BoardView, type Header } from './draw.js'

/** Interval between two redraws, in ms. */
const redrawInterval = 125

export interface BoardOptions {
  readonly tokens: readonly DisplayToken[]
  readonly hasDepth: boolean
  readonly header: Header | undefined
  readonly note: string | undefined
  readonly output: NodeJS.WriteStream
  /** Environment variables. */
  readonly variables: Variables
  /** Time of the current event for the event log, in ms since the Unix epoch. Default: that of its row. */
  readonly loggedAt?: () => number
}

/** Redraws the board in place until `rows$` completes or is unsubscribed. The last view stays on the terminal. */
export const showBoard$ = (rows$: Observable<Row>, options: BoardOptions): Observable<never> =>
  defer(() => {
    const { output, variables } = options
    const redraw = createRedraw(output)
    const colours = coloursFor(output, variables)
    const draw = (view: BoardView) =>
      redraw.draw(drawBoard(view, { colours, now: asyncScheduler.now() }, output))
    return view$(rows$, options).pipe(
      tap(draw),
      ignoreElements(),
      finalize(() => redraw.done()),
    )
  })

/** The current view once per redraw interval, and the last view on completion. */
const view$ = (
  rows$: Observable<Row>,
  { tokens, hasDepth, header, note, loggedAt }: BoardOptions,
): Observable<BoardView> => {
  const update = createUpdate(true, loggedAt)
  const initial: BoardView = { display: emptyDisplay(tokens), hasDepth, header, note }
  return rows$.pipe(
    scan((view, row: Row) => ({ ...view, display: update(view.display, row) }), initial),
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
