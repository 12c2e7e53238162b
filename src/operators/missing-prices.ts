import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  catchError,
  defer,
  EMPTY,
  endWith,
  from,
  ignoreElements,
  merge,
  mergeMap,
  of,
  take,
  tap,
  type Observable,
} from 'rxjs'
import { pastSourceOf, type PastSource } from '../base/domain/joinable.js'
import type { Gap, PastEvent } from '../base/domain/past.js'
import type { PricePosition } from '../base/domain/position.js'
import type { Topic } from '../base/domain/topic.js'
import { networkError, timeout } from '../base/errors/constructors.js'
import type { HistoryError } from '../base/errors/model.js'
import { delay$ } from '../base/time/deadline.js'
import { rxClock } from '../base/time/rx-clock.js'
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
    const rows = new PastRows(past, before, after)
    const timeout$ = delay$(rxClock, timeoutMs).pipe(tap(() => (rows.failure = timeout(timeoutMs))))
    return merge(rows.read$, timeout$).pipe(
      take(1),
      mergeMap(() => from(rows.between())),
    )
  })

/** True if no price is between both. */
const isNext = (before: PricePosition | undefined, after: PricePosition | undefined): boolean =>
  before !== undefined && before.run === after?.run && after.count - before.count <= 1

/** An event of a past. */
interface PastRow {
  readonly event: PastEvent
  readonly position: PricePosition | undefined
}

/** The events that have been read around an interruption. */
class PastRows {
  failure: HistoryError | undefined
  private rows: PastRow[] = []
  private readonly source: PastSource<Either<HistoryError, PastEvent>>

  constructor(
    private readonly past: TopicPast,
    private readonly before: Edge,
    private readonly after: Edge,
  ) {
    const range = { from: before.at - clockTolerance }
    this.source = pastSourceOf(past.history.prices$(past.topic, range))
  }

  /** Emits once, when there is no more to read. */
  readonly read$ = defer(() => {
    const reading$ = defer(() => {
      let position: PricePosition | undefined
      this.rows = []
      return this.source
        .read$(undefined, (next) => (position = next))
        .pipe(tap((event) => this.add(event, position)))
    })
    const isBehind = (isFirst: boolean): boolean =>
      isFirst || (this.source.isEndless && this.failure === undefined && this.end === undefined)
    return readAgain$(reading$, isBehind).pipe(
      ignoreElements(),
      endWith(undefined),
      catchError((thrown) => {
        this.failure = networkError(thrown)
        return of(undefined)
      }),
    )
  })

  /** The events after the first price and before the second one, with gaps where the past knows nothing. */
  between(): readonly Either<HistoryError, PastEvent>[] {
    const { before, after, start, end, failure } = this
    const inside = this.rows
      .slice((start ?? -1) + 1, end)
      .map(({ event }) => this.clipped(event))
      .filter((event) =>
        event._tag === 'Gap'
          ? event.from < event.to
          : (start !== undefined || event.at > before.at) && (end !== undefined || event.at < after.at),
      )
    const [first, last] = [inside[0], inside.at(-1)]
    const mayLack = this.source.isEndless || failure !== undefined
    const lacksStart = mayLack && start === undefined && first?._tag === 'PastPrice'
    const lacksEnd = mayLack && (end === undefined || (start === undefined && first === undefined))
    return [
      ...(lacksStart ? [right(this.gap(before.at, first.at))] : []),
      ...inside.map((event) => right(event)),
      ...(failure === undefined ? [] : [left(failure)]),
      ...(lacksEnd && last?._tag !== 'Gap' ? [right(this.gap(last?.at ?? before.at, after.at))] : []),
    ]
  }

  private add(event: Either<HistoryError, PastEvent>, position: PricePosition | undefined): void {
    if (isLeft(event)) this.failure = event.left
    else this.rows.push({ event: event.right, position: event.right._tag === 'Gap' ? undefined : position })
  }

  /** The index of the price before the interruption, if it is known. */
  private get start(): number | undefined {
    return this.indexOf(this.before, 0)
  }

  /** The index of the price after the interruption, if it is known. */
  private get end(): number | undefined {
    return this.indexOf(this.after, (this.start ?? -1) + 1)
  }

  /** By the position, or without a row of its run by the value, nearest to the time. */
  private indexOf({ price, at, position }: Edge, from: number): number | undefined {
    const hasRun = position !== undefined && this.rows.some((row) => row.position?.run === position.run)
    const distanceOf = ({ event, position: other }: PastRow): number => {
      if (hasRun) return other?.run === position.run && other.count === position.count ? 0 : Infinity
      return event._tag === 'PastPrice' && event.price === price ? Math.abs(event.at - at) : Infinity
    }
    const distances = this.rows.slice(from).map(distanceOf)
    const shortest = distances.reduce((one, other) => Math.min(one, other), Infinity)
    return shortest <= clockTolerance ? from + distances.indexOf(shortest) : undefined
  }

  private clipped(event: PastEvent): PastEvent {
    if (event._tag === 'PastPrice') return event
    return { ...event, from: Math.max(event.from, this.before.at), to: Math.min(event.to, this.after.at) }
  }

  private gap(from: number, to: number): Gap {
    return { _tag: 'Gap', topic: this.past.topic, from, to: Math.max(from + 1, to), cause: 'unrecorded' }
  }
}
