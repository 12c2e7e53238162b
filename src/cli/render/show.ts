import {
  asyncScheduler,
  defer,
  endWith,
  ignoreElements,
  takeUntil,
  tap,
  timer,
  using,
  type Observable,
} from 'rxjs'
import { createUpdate, emptyDisplay } from '../../view/display.js'
import type { DisplayToken } from '../../view/token-state.js'
import type { Row } from '../../backtest/recording/codec/row.js'
import type { Io } from '../io.js'
import { coloursFor, createRedraw } from './terminal.js'
import { drawBoard, type BoardView } from './draw.js'

/** Interval between two redraws, in ms. */
const redrawInterval = 125

export interface BoardOptions extends Omit<BoardView, 'display'> {
  readonly tokens: readonly DisplayToken[]
  /** Time of the current event for the event log, in ms since the Unix epoch. Default: that of its row. */
  readonly loggedAt?: () => number
}

/** Redraws the board in place until `rows$` completes or is unsubscribed. The last view stays on the terminal. */
export const showBoard$ = (
  { stdout: output, env }: Pick<Io, 'stdout' | 'env'>,
  rows$: Observable<Row>,
  options: BoardOptions,
): Observable<never> =>
  defer(() => {
    const { tokens, loggedAt } = options
    const redraw = createRedraw(output)
    const colours = coloursFor(output, env)
    const update = createUpdate(true, loggedAt)
    let display = emptyDisplay(tokens)
    const draw = (): void => {
      redraw.draw(drawBoard({ ...options, display }, { colours, now: asyncScheduler.now() }, output))
    }
    const end$ = rows$.pipe(
      tap((row) => (display = update(display, row))),
      ignoreElements(),
      endWith(null),
    )
    const frame$ = timer(0, redrawInterval).pipe(tap(draw), ignoreElements(), takeUntil(end$))
    const done = (): void => {
      draw()
      redraw.done()
    }
    return using(
      () => ({ unsubscribe: done }),
      () => frame$,
    )
  })
