import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  catchError,
  defer,
  EMPTY,
  endWith,
  ignoreElements,
  merge,
  mergeMap,
  of,
  take,
  tap,
  throwError,
  type Observable,
} from 'rxjs'
import { pastSourceOf, type Gap, type PastEvent, type PricePosition } from '../base/domain/past.js'
import type { Topic } from '../base/domain/topic.js'
import { networkError, timeout } from '../base/errors/constructors.js'
import type { HistoryError } from '../base/errors/model.js'
import { delay$ } from '../base/time/timers.js'
import { rxClock } from '../base/time/clock.js'
import { readAgain$ } from './past-until-live.js'

/** A topic of a history. */
export interface TopicPast {
  /** A history, such as that of `openHistory`, or `history` of a replay. */
  readonly history: {
    readonly prices$: (
      topic: Topic,
      range: { readonly from: number },
    ) => Observable<Either<HistoryError, PastEvent>>
  }
  readonly topic: Topic
  /** The start of the past, in ms since the Unix epoch. Default: there is no past at the start. */
  readonly from?: number
}

/** A price before or after an interruption. `at`: when it was received, in ms since the Unix epoch. */
export interface Edge {
  readonly price: number
  readonly at: number
  readonly position: PricePosition | undefined
}

/** The clocks of the recorder and of the client may differ by this time, in ms. */
const clockTolerance = 1_000

/**
 * What a history has between two live prices, in order, then completion. What it does not know is a `Gap`, and its failure is a
 * `Left` too. A recorder with the positions of the live prices identifies both; any other one by their values, nearest to their
 * times. It is read again, for about 1 s, until it has the second price.
 */
export const missingPrices$ = (
  past: TopicPast,
  before: Edge,
  after: Edge,
  timeoutMs: number,
): Observable<Either<HistoryError, PastEvent>> =>
  defer(() => {
    if (isNext(before.position, after.position)) return EMPTY
    const source = pastSourceOf(pricesSince$(past, before.at - clockTolerance))
    let rows: PastRow[] = []
    let failure: HistoryError | undefined
    const reading$ = defer(() => {
      let position: PricePosition | undefined
      rows = []
      return source
        .read$(undefined, (next) => (position = next))
        .pipe(
          tap((event) => {
            if (isLeft(event)) failure = event.left
            else rows.push({ event: event.right, position })
          }),
        )
    })
    const isBehind = (isFirst: boolean): boolean =>
      isFirst || (source.isEndless && failure === undefined && insideOf(rows, before, after).lacksEnd)
    const read$ = readAgain$(reading$, isBehind).pipe(
      ignoreElements(),
      endWith(undefined),
      catchError((thrown) => {
        failure = networkError(thrown)
        return of(undefined)
      }),
    )
    const timeout$ = delay$(rxClock, timeoutMs).pipe(tap(() => (failure = timeout(timeoutMs))))
    const events = (): readonly Either<HistoryError, PastEvent>[] => {
      const { inside, lacksStart, lacksEnd } = insideOf(rows, before, after)
      const [first, last] = [inside[0], inside.at(-1)]
      const mayLack = source.isEndless || failure !== undefined
      const hasStartGap = mayLack && lacksStart && first?._tag === 'PastPrice'
      const hasEndGap = mayLack && (lacksEnd || (lacksStart && first === undefined)) && last?._tag !== 'Gap'
      return [
        ...(hasStartGap ? [right(gapOf(past.topic, before.at, first.at))] : []),
        ...inside.map((event) => right(event)),
        ...(failure === undefined ? [] : [left(failure)]),
        ...(hasEndGap ? [right(gapOf(past.topic, last?.at ?? before.at, after.at))] : []),
      ]
    }
    return merge(read$, timeout$).pipe(take(1), mergeMap(events))
  })

/** An exception of the history is an error of the stream. */
const pricesSince$ = (
  { history, topic }: TopicPast,
  from: number,
): Observable<Either<HistoryError, PastEvent>> => {
  try {
    return history.prices$(topic, { from })
  } catch (thrown) {
    return throwError(() => thrown)
  }
}

/** True if no price is between both. */
const isNext = (before: PricePosition | undefined, after: PricePosition | undefined): boolean =>
  before !== undefined && before.run === after?.run && after.count - before.count <= 1

/** An event of a past. `position`: of a price. */
interface PastRow {
  readonly event: PastEvent
  readonly position: PricePosition | undefined
}

/** The events after the first price and before the second one, and whether one of both is not among the rows. */
const insideOf = (rows: readonly PastRow[], before: Edge, after: Edge) => {
  const start = indexOf(rows, before, 0)
  const end = indexOf(rows, after, start + 1)
  const lacksStart = start === -1
  // The recorder may not have written the second one yet.
  const lacksEnd = end === -1 && !isNext(rows.at(-1)?.position, after.position)
  const inside = rows
    .slice(start + 1, end === -1 ? undefined : end)
    .map(({ event }) => clipped(event, before.at, after.at))
    .filter((event) =>
      event._tag === 'Gap'
        ? event.from < event.to
        : (!lacksStart || event.at > before.at) && (!lacksEnd || event.at < after.at),
    )
  return { inside, lacksStart, lacksEnd }
}

/** By the position, or without a row of its run by the value, nearest to the time; -1 if there is none. */
const indexOf = (rows: readonly PastRow[], { price, at, position }: Edge, from: number): number => {
  const hasRun = position !== undefined && rows.some((row) => row.position?.run === position.run)
  const distances = rows.map(({ event, position: other }, index) => {
    if (index < from || event._tag === 'Gap') return Infinity
    if (hasRun) return other?.run === position.run && other.count === position.count ? 0 : Infinity
    return event.price === price ? Math.abs(event.at - at) : Infinity
  })
  const shortest = distances.reduce((one, other) => Math.min(one, other), Infinity)
  return shortest <= clockTolerance ? distances.indexOf(shortest) : -1
}

const clipped = (event: PastEvent, from: number, to: number): PastEvent =>
  event._tag === 'Gap' ? { ...event, from: Math.max(event.from, from), to: Math.min(event.to, to) } : event

const gapOf = (topic: Topic, from: number, to: number): Gap => ({
  _tag: 'Gap',
  topic,
  from,
  to: Math.max(from + 1, to),
  cause: 'unrecorded',
})
