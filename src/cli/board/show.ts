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
import type { TokenNames } from '../input/token-names.js'
import { coloursFor } from '../output/colours.js'
import { emptyBoard, updateBoard } from './board.js'
import { drawBoard, type Picture } from './draw.js'
import { logEvent } from './event-log.js'
import { createRedraw } from './redraw.js'

/** From one picture to the next, in ms. */
const frame = 125

export interface BoardOptions {
  readonly tokens: readonly Address[]
  readonly names: TokenNames
  readonly hasDepth: boolean
  /** What is to be said below the table. */
  readonly note: string | undefined
  readonly output: NodeJS.WriteStream
}

/** Draws what happens in place, until it ends or nobody looks. What was drawn last stays on the terminal. */
export const showBoard$ = (rows$: Observable<Row>, scene: BoardOptions): Observable<never> =>
  defer(() => {
    const { names, output } = scene
    const redraw = createRedraw(output)
    const colours = coloursFor(output)
    const draw = (picture: Picture) =>
      redraw.draw(drawBoard(picture, { names, colours, now: asyncScheduler.now() }, output))
    return picture$(rows$, scene).pipe(
      tap(draw),
      ignoreElements(),
      finalize(() => redraw.done()),
    )
  })

/** The picture of the moment, once a frame, and the last one. */
const picture$ = (
  rows$: Observable<Row>,
  { tokens, names, hasDepth, note }: BoardOptions,
): Observable<Picture> => {
  const first: Picture = { board: emptyBoard(tokens), news: [], hasDepth, note }
  const after = ({ board, news, ...rest }: Picture, row: Row): Picture => ({
    ...rest,
    board: updateBoard(board, row),
    news: logEvent(news, board, row, names),
  })
  return rows$.pipe(
    scan(after, first),
    startWith(first),
    connect((now$) => {
      const last$ = now$.pipe(last())
      const frame$ = timer(0, frame).pipe(
        withLatestFrom(now$),
        map(([, picture]) => picture),
      )
      return merge(frame$.pipe(takeUntil(last$)), last$)
    }),
  )
}
