import type { Observable } from 'rxjs'
import type { PricePosition } from './position.js'

// What `withPast` needs to join two streams without a missing price, and what a store needs to know of its source. These are
// not properties of the streams, because the stream of an operator must not have those of its source.

/** A live stream of a topic. */
export interface LiveSource<T> {
  /**
   * Returns the stream. Calls `onConfirmed` when the service confirms the topic, at once if it is already confirmed: from
   * then on, the stream has each price of the service.
   */
  readonly open$: (onConfirmed?: () => void) => Observable<T>
  /** The position of the last price, also while it is delivered. The object changes with the next price. */
  readonly position: () => PricePosition | undefined
  /** The age up to which a price is current, in ms. Default: 5000. */
  readonly maxLag?: number | undefined
  /** False if the last price may be too old, although no `Left` has been emitted yet. Default: it is never too old. */
  readonly isCurrent?: (() => boolean) | undefined
}

const liveSources = new WeakMap<Observable<unknown>, LiveSource<unknown>>()

/** The stream of a source. */
export const liveStream$ = <Stream$ extends Observable<unknown>>(
  open$: (onConfirmed?: () => void) => Stream$,
  position: LiveSource<unknown>['position'],
  maxLag?: number,
  isCurrent?: LiveSource<unknown>['isCurrent'],
): Stream$ => {
  const stream$ = open$()
  liveSources.set(stream$, { open$, position, maxLag, isCurrent })
  return stream$
}

/** The source of a stream. For a stream of which the confirmation is unknown, `onConfirmed` is called at once. */
export const liveSourceOf = <T>(stream$: Observable<T>): LiveSource<T> =>
  (liveSources.get(stream$) as LiveSource<T> | undefined) ?? {
    open$: (onConfirmed) => {
      onConfirmed?.()
      return stream$
    },
    position: () => undefined,
  }

/** Called before each event of a past, with the position of the price. */
export type OnPosition = (position: PricePosition | undefined) => void

/** A past of a topic. */
export interface PastSource<T> {
  /** Returns the past from a time on, in ms since the Unix epoch. Without `from`, it returns the whole past. */
  readonly read$: (from: number | undefined, onPosition: OnPosition) => Observable<T>
  /** True if the past ends when it is subscribed to. */
  readonly isEndless: boolean
}

const pastSources = new WeakMap<Observable<unknown>, PastSource<unknown>>()

/** The stream of a past that can be read again. */
export const readablePast$ = <T>(
  read$: (from?: number, onPosition?: OnPosition) => Observable<T>,
  isEndless: boolean,
): Observable<T> => {
  const past$ = read$()
  pastSources.set(past$, { read$, isEndless })
  return past$
}

/** The source of a past. Any other stream has no positions, and its end is given. */
export const pastSourceOf = <T>(past$: Observable<T>): PastSource<T> =>
  (pastSources.get(past$) as PastSource<T> | undefined) ?? { read$: () => past$, isEndless: false }
