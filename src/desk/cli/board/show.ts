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
import { createUpdate, emptyDisplay, type LogText, type LogTexts } from '../../display/display.js'
import { shortAddresses } from '../../display/texts.js'
import type { DisplayToken } from '../../display/token-state.js'
import { behindMsOf } from '../../../base/domain/status.js'
import { renderError } from '../../../base/errors/render.js'
import { behindText, printable } from '../../../base/errors/text.js'
import type { Row } from '../../../backtest/recording/format/row.js'
import type { Variables } from '../io.js'
import type { PastPrices } from '../output/since.js'
import { coloursFor, createRedraw } from '../output/terminal.js'
import { drawBoard, type BoardView, type Header } from './draw.js'

/** Interval between two redraws, in ms. */
const redrawInterval = 125

export interface BoardOptions {
  readonly tokens: readonly DisplayToken[]
  readonly hasDepth: boolean
  readonly header: Header | undefined
  readonly note: string | undefined
  /** Default: the board has no change since a time. */
  readonly past?: PastPrices | undefined
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
  { tokens, hasDepth, header, note, past, loggedAt }: BoardOptions,
): Observable<BoardView> => {
  const update = createUpdate(logTexts, loggedAt)
  const initial: BoardView = { display: emptyDisplay(tokens), hasDepth, header, note, past }
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

/** The words of the event log: those of the errors. */
export const logTexts: LogTexts = {
  connection: ({ status: before }, { status }) => {
    if (status._tag !== 'Open') return undefined
    if (status.behindMs !== undefined) return bad(heldText(status.behindMs))
    if (behindMsOf(before) !== undefined) return good('prices are current again')
    return status.epoch > 1 ? good(`reconnected, epoch ${status.epoch}`) : undefined
  },
  price: (_before, { priceError: error }) => {
    if (error === undefined) return undefined
    if (error._tag === 'Stale' && error.behindMs !== undefined)
      return { ...bad(heldText(error.behindMs)), affectsAll: true }
    return error._tag === 'Disconnected'
      ? { ...bad(renderError(error)), affectsAll: true }
      : bad(renderError(error))
  },
  // Consecutive polls may fail with the same error.
  depth: ({ depthError: before }, { depthError: error }) =>
    error !== undefined && error.message !== before?.message ? bad(`depth ${renderError(error)}`) : undefined,
  uncorrelated: (error) => ({ tone: 'neutral', text: oneLineOf(renderError(error)) }),
}

const heldText = (behindMs: number): string => `${behindText(behindMs)}: prices are held`

const good = (text: string): LogText => ({ tone: 'good', text })
const bad = (text: string): LogText => ({ tone: 'bad', text: oneLineOf(text) })

const oneLineOf = (text: string): string => shortAddresses(printable(text))
