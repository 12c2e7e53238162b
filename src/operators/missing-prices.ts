import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  catchError,
  defer,
  endWith,
  ignoreElements,
  merge,
  mergeMap,
  of,
  take,
  tap,
  type Observable,
} from 'rxjs'
import { pastSourceOf } from '../base/domain/joinable.js'
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
    if (isNext(before.position, after.position)) return of()
    const rows = new PastRows(past, before, after)
    const timeout$ = delay$(rxClock, timeoutMs).pipe(tap(() => (rows.failure = timeout(timeoutMs))))
    return merge(rows.read$, timeout$).pipe(
      take(1),
      mergeMap(() => rows.between()),
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
  /** True if the past ends when it is subscribed to. */
  private isEndless = false

  constructor(
    private readonly past: TopicPast,
    private readonly before: Edge,
    private readonly after: Edge,
  ) {}

  /** Emits once, when there is no more to read. */
  readonly read$ = defer(() => {
    const { history, topic } = this.past
    const source = pastSourceOf(history.prices$(topic, { from: this.before.at }))
    this.isEndless = source.isEndless
    const reading$ = defer(() => {
      const from = this.before.at - clockTolerance
      let position: PricePosition | undefined
      this.rows = []
      return source.read$(from, (next) => (position = next)).pipe(tap((event) => this.add(event, position)))
    })
    const isBehind = (isFirst: boolean): boolean =>
      isFirst || (this.isEndless && this.failure === undefined && this.endIndex() === undefined)
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
    const { before, after, failure } = this
    const start = this.startIndex()
    const end = this.endIndex()
    const inside = this.rows
      .slice((start ?? -1) + 1, end)
      .map(({ event }) => (event._tag === 'Gap' ? this.clipped(event) : event))
      .filter((event) =>
        event._tag === 'Gap'
          ? event.from < event.to
          : (start !== undefined || event.at > before.at) && (end !== undefined || event.at < after.at),
      )
    const [first] = inside
    const last = inside.at(-1)
    const lacksStart = start === undefined && this.isEndless && first?._tag !== 'Gap'
    const lacksEnd = end === undefined && (this.isEndless || failure !== undefined) && last?._tag !== 'Gap'
    const startGap = lacksStart && first !== undefined ? [this.gap(before.at, first.at)] : []
    const endGap =
      lacksEnd || (lacksStart && first === undefined)
        ? [this.gap(last === undefined ? before.at : timeOf(last), after.at)]
        : []
    return [
      ...[...startGap, ...inside].map((event) => right(event)),
      ...(failure === undefined ? [] : [left(failure)]),
      ...endGap.map((gap) => right(gap)),
    ]
  }

  private add(event: Either<HistoryError, PastEvent>, position: PricePosition | undefined): void {
    if (isLeft(event)) this.failure = event.left
    else this.rows.push({ event: event.right, position: event.right._tag === 'Gap' ? undefined : position })
  }

  /** The index of the price before the interruption; -1 if the rows start after it. */
  private startIndex(): number | undefined {
    const { position } = this.before
    const counts = this.countsOf(position)
    if (position === undefined || counts.length === 0) return this.nearest(this.before, 0)
    const last = counts.findLast(({ count }) => count <= position.count)
    if (last !== undefined) return last.index
    const [next] = counts
    return next?.count === position.count + 1 ? next.index - 1 : undefined
  }

  /** The index of the price after the interruption, or that after the price before it. */
  private endIndex(): number | undefined {
    const { position } = this.after
    const counts = this.countsOf(position)
    if (position === undefined || counts.length === 0)
      return this.nearest(this.after, Math.max(0, this.startIndex() ?? 0))
    const next = counts.find(({ count }) => count >= position.count)
    if (next !== undefined) return next.index
    const last = counts.at(-1)
    return last?.count === position.count - 1 ? last.index + 1 : undefined
  }

  /** The rows of the run of a position. */
  private countsOf(
    position: PricePosition | undefined,
  ): readonly { readonly index: number; readonly count: number }[] {
    return this.rows.flatMap((row, index) =>
      position !== undefined && row.position?.run === position.run
        ? [{ index, count: row.position.count }]
        : [],
    )
  }

  /** The index of the row with the value of a price that is nearest to its time. */
  private nearest({ price, at }: Edge, start: number): number | undefined {
    let nearest: number | undefined
    let shortest = clockTolerance
    for (const [index, { event }] of this.rows.entries()) {
      if (index < start || event._tag === 'Gap' || event.price !== price) continue
      const distance = Math.abs(event.at - at)
      if (distance > shortest || (distance === shortest && nearest !== undefined)) continue
      nearest = index
      shortest = distance
    }
    return nearest
  }

  private clipped(gap: Gap): Gap {
    return { ...gap, from: Math.max(gap.from, this.before.at), to: Math.min(gap.to, this.after.at) }
  }

  private gap(from: number, to: number): Gap {
    return { _tag: 'Gap', topic: this.past.topic, from, to: Math.max(from + 1, to), cause: 'unrecorded' }
  }
}

const timeOf = (event: PastEvent): number => (event._tag === 'Gap' ? event.from : event.at)
