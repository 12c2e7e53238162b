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
  repeat,
  take,
  tap,
  type Observable,
} from 'rxjs'
import type { PastSource, PastEvent, PastPrice, PricePosition } from '../base/domain/past.js'
import type { Price } from '../base/domain/price.js'
import type { Topic } from '../base/domain/topic.js'
import { networkError, timeout } from '../base/errors/constructors.js'
import type { HistoryError } from '../base/errors/model.js'
import { delay$ } from '../base/time/timers.js'
import { rxClock } from '../base/time/clock.js'

// All times are in ms since the Unix epoch.

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

/** An event of a past. `position`: of a price, if the recorder has stored it. */
export interface PastRow<Event = Either<HistoryError, PastEvent>> {
  readonly event: Event
  readonly position: PricePosition | undefined
}

/** A price before or after an interruption. `at`: when it was received. */
export interface Edge extends Pick<PastPrice, 'price' | 'at'> {
  readonly position: PricePosition | undefined
}

/** The clocks of the recorder and of the client may differ by this time, in ms. */
const clockTolerance = 1_000

/** The time between two readings, in ms, and their number, if the recorder has not stored the last prices yet. */
const rereadTime = 100
const maxReadings = 10

/**
 * Emits the events of a past between two prices, then completes; without `before`, all events before the second one. A time
 * without a record is a `Gap`, and a failure a `Left`. A recorder with the positions of the live prices identifies both prices;
 * any other one by their values and times. An endless past is read again, for about 1 s, until it has the second price, but only
 * once if it has no price of its run. `trustsClock`: it is then read again all the same, its times may differ by 1 s, and it ends
 * before the time of the second price.
 */
export const missingPrices$ = (
  source: PastSource<Either<HistoryError, PastEvent>>,
  before: (Edge & Pick<PastPrice, 'topic'>) | undefined,
  after: Edge,
  timeoutMs: number,
  trustsClock: boolean,
): Observable<PastRow> =>
  defer(() => {
    if (isNext(before?.position, after.position)) return EMPTY
    let rows: PastRow<PastEvent>[] = []
    let failure: HistoryError | undefined
    const reading$ = defer(() => {
      let position: PricePosition | undefined
      rows = []
      return source
        .read$(before && before.at - clockTolerance, (next) => (position = next))
        .pipe(
          tap((event) => {
            if (isLeft(event)) failure = event.left
            else rows.push({ event: event.right, position })
          }),
        )
    })
    const isBehind = (): boolean =>
      source.isEndless &&
      failure === undefined &&
      (trustsClock || hasRun(rows, after.position)) &&
      insideOf(rows, before, after, trustsClock).lacksEnd
    const readings$ = reading$.pipe(
      repeat({ count: maxReadings, delay: () => (isBehind() ? delay$(rxClock, rereadTime) : EMPTY) }),
      ignoreElements(),
      endWith(undefined),
      catchError((thrown) => {
        failure = networkError(thrown)
        return of(undefined)
      }),
    )
    const timeout$ = delay$(rxClock, timeoutMs).pipe(tap(() => (failure = timeout(timeoutMs))))
    const result = (): readonly PastRow[] => {
      const { inside, lacksEnd } = insideOf(rows, before, after, trustsClock)
      const last = inside.at(-1)?.event
      const mayLack = lacksEnd && (source.isEndless || failure !== undefined)
      return [
        ...inside.map(({ event, position }) => ({ event: right(event), position })),
        ...(failure === undefined ? [] : [{ event: left(failure), position: undefined }]),
        ...(mayLack && last?._tag !== 'Gap' ? unknownAfter(last ?? before, after.at) : []),
      ]
    }
    return merge(readings$, timeout$).pipe(take(1), mergeMap(result))
  })

/** The past prices that are delivered. */
export class DeliveredPast {
  private lastAt = -Infinity
  /** The highest count of each run. */
  private readonly counts = new Map<string, number>()
  /** The last prices with their times. */
  private readonly compared = new Set<string>()
  private readonly comparedFrom = rxClock.wallClock() - comparedTime

  add({ price, at }: PastPrice, position: PricePosition | undefined): void {
    this.lastAt = at
    if (position !== undefined) this.counts.set(position.run, position.count)
    if (at >= this.comparedFrom) this.compared.add(`${at} ${price}`)
  }

  /** True if it has a live price: by its position, or without a common run by its value and time. */
  has({ price, receivedAt = NaN }: Partial<Price>, position: PricePosition | undefined): boolean {
    const isEarlier = receivedAt <= this.lastAt
    return this.reaches(position) ?? (isEarlier && this.compared.has(`${receivedAt} ${price}`))
  }

  /** Whether it has a position, or a later one. `undefined` if it has no price of this run. */
  private reaches(position: PricePosition | undefined): boolean | undefined {
    const last = position && this.counts.get(position.run)
    return position === undefined || last === undefined ? undefined : position.count <= last
  }
}

/** A live price is compared with past prices from this time before the subscription on, in ms. */
const comparedTime = 60_000

/** True if no price is between both. */
const isNext = (before: PricePosition | undefined, after: PricePosition | undefined): boolean =>
  before !== undefined && before.run === after?.run && after.count - before.count <= 1

/** The events after the first price and before the second one, and whether that one may not be reached. */
const insideOf = (
  rows: readonly PastRow<PastEvent>[],
  before: Edge | undefined,
  after: Edge,
  trustsClock: boolean,
) => {
  const tolerance = trustsClock ? clockTolerance : 0
  const start = before === undefined ? -1 : indexOf(rows, before, 0, tolerance)
  const end = indexOf(rows, after, start + 1, tolerance)
  const lacksEnd = end === -1 && !rows.some(({ position }) => isNext(position, after.position))
  const from = start === -1 && before !== undefined ? before.at : -Infinity
  const to = lacksEnd && trustsClock ? after.at : Infinity
  const inside = rows
    .slice(start + 1, end === -1 ? undefined : end)
    .map(({ event, position }) => ({ event: clipped(event, from, to), position }))
    .filter(({ event }) => (event._tag === 'Gap' ? event.from < event.to : event.at > from && event.at < to))
  return { inside, lacksEnd }
}

/** By the position, or without a row of its run by the value, nearest to the time; -1 if there is none. */
const indexOf = (
  rows: readonly PastRow<PastEvent>[],
  { price, at, position }: Edge,
  from: number,
  tolerance: number,
): number => {
  const isByPosition = hasRun(rows, position)
  const distances = rows.map(({ event, position: other }, index) => {
    if (index < from || event._tag === 'Gap') return Infinity
    if (isByPosition) return other?.run === position?.run && other?.count === position?.count ? 0 : Infinity
    return event.price === price ? Math.abs(event.at - at) : Infinity
  })
  const shortest = distances.reduce((one, other) => Math.min(one, other), Infinity)
  return shortest <= tolerance ? distances.indexOf(shortest) : -1
}

const hasRun = (rows: readonly PastRow<PastEvent>[], position: PricePosition | undefined): boolean =>
  position !== undefined && rows.some((row) => row.position?.run === position.run)

const clipped = (event: PastEvent, from: number, to: number): PastEvent =>
  event._tag === 'Gap' ? { ...event, from: Math.max(event.from, from), to: Math.min(event.to, to) } : event

/** The gap after a price, if there is one. */
const unknownAfter = (
  price: Pick<PastPrice, 'topic' | 'at'> | undefined,
  end: number,
): readonly PastRow[] => {
  if (price === undefined) return []
  const { topic, at: from } = price
  const to = Math.max(from + 1, end)
  return [{ event: right({ _tag: 'Gap', topic, from, to, cause: 'unrecorded' }), position: undefined }]
}
