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
import { logTexts as pageTexts } from '../../view/log-texts.js'
import { isConnected, type Connection } from '../../view/connection.js'
import { createUpdate, emptyDisplay, type LogText, type LogTexts } from '../../view/display.js'
import { counted, formatSeconds, shortAddresses } from '../../view/texts.js'
import type { DisplayToken } from '../../view/token-state.js'
import type { Waiting } from '../../base/domain/status.js'
import { printable } from '../../base/errors/text.js'
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
  const update = createUpdate(logTexts, loggedAt)
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

/** The words of the event log: those of the page, and one entry for each outage. */
export const logTexts: LogTexts = {
  ...pageTexts,
  connection: (before, after, at) => {
    const { status } = after
    if (status._tag === 'Waiting') return outageText(after, status, at)
    if (!isConnected(after) || before.state === after.state) return undefined
    if (before.state === 'connection lost') return recoveryText(before, at)
    // The first connection needs no entry.
    const isFirst = before.state === 'connecting' && after.state === 'connected'
    return isFirst ? undefined : pageTexts.connection(before, after, at)
  },
}

const outageText = ({ lostAt }: Connection, { attempt, reason }: Waiting, at: number): LogText => {
  const state =
    lostAt === undefined
      ? `No connection to the service, ${counted(attempt, 'failed attempt')}`
      : `Connection lost${at - lostAt < 1000 ? '' : ` for ${formatSeconds(at - lostAt)}`}`
  return { tone: 'bad', text: withReason(state, reason), outage: 'continues' }
}

const recoveryText = ({ lostAt, reason }: Connection, at: number): LogText => {
  const state =
    lostAt === undefined
      ? 'Connected after failed attempts'
      : `Connected again after ${formatSeconds(at - lostAt)}`
  return { tone: 'good', text: withReason(state, reason), outage: 'over' }
}

const withReason = (state: string, reason: string): string =>
  reason === '' ? state : shortAddresses(printable(`${state}: ${reason}`))
