import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import {
  BehaviorSubject,
  concat,
  defer,
  EMPTY,
  mergeMap,
  NEVER,
  of,
  switchMap,
  take,
  type Observable,
} from 'rxjs'
import type { PastSource } from '../base/domain/joinable.js'
import type { Gap, PastEvent } from '../base/domain/past.js'
import { copyPosition, type PricePosition } from '../base/domain/position.js'
import type { Price } from '../base/domain/price.js'
import type { HistoryError } from '../base/errors/model.js'
import { delay$ } from '../base/time/deadline.js'
import { rxClock } from '../base/time/rx-clock.js'
import type { Overlap } from './overlap.js'

type Event = Either<HistoryError, PastEvent>

/** The time after the confirmation for which the first live price is waited for, in ms. */
const firstPriceTime = 1_000

/** The time for which a recorder of another client may be behind the live stream, in ms. */
const recorderDelay = 1_000

/** The time between two readings, and the number of readings, if the recorder has not stored the last prices yet. */
const [rereadTime, maxReadings] = [100, 10]

/** The start of the live stream that follows a past. */
export class LiveStart {
  private readonly phase$ = new BehaviorSubject<'subscribed' | 'confirmed' | 'started'>('subscribed')
  /** The position of the last price before the first live one, as far as it is known. */
  position: PricePosition | undefined
  /** The first live price, if the live stream has started with a price that has a position. */
  price: Partial<Price> | undefined

  /** True if the live stream has each price of the service from now on, or has failed. */
  get isConfirmed(): boolean {
    return this.phase$.value !== 'subscribed'
  }

  confirm(position: PricePosition | undefined): void {
    if (this.isConfirmed) return
    this.position = position && copyPosition(position)
    this.phase$.next('confirmed')
  }

  /**
   * The live stream has emitted, or has completed. `price`: its first price, and the position of it. A gateway may leave
   * out prices between the confirmation and this price.
   */
  start(price?: Partial<Price>, position?: PricePosition): void {
    if (this.phase$.value === 'started') return
    if (position !== undefined) {
      this.price = price
      this.position = { run: position.run, count: position.count - 1 }
    }
    this.phase$.next('started')
  }

  /** Emits once: at the first event, or `firstPriceTime` after the confirmation. */
  readonly started$ = this.phase$.pipe(
    switchMap((phase) => {
      if (phase === 'subscribed') return NEVER
      return phase === 'started' ? of(undefined) : delay$(rxClock, firstPriceTime)
    }),
    take(1),
  )
}

/**
 * The past before a live stream. If it does not reach the first live price, it is read again from its last price on. If
 * it has no price of that run, its recorder is another client: it is then read again at least once, and until it has the
 * first live price by its value, for at most `recorderDelay`. If the live stream was
 * confirmed at the subscription, the first live price is not waited for. After a failure of the past, it is not read
 * again.
 */
export const continuedPast$ = (
  past: PastSource<Event>,
  live: LiveStart,
  overlap: Overlap,
): Observable<Event> => {
  const end = new PastEnd(past.isEndless, overlap)
  const wasConfirmed = live.isConfirmed
  const read$ = (): Observable<Event> => {
    let position: PricePosition | undefined
    return past
      .read$(end.startReading(), (next) => (position = next))
      .pipe(mergeMap((event) => end.pass(event, position)))
  }
  const hasReached = (isComplete: boolean, isLate: boolean): boolean =>
    end.hasFailed || (overlap.reaches(live.position) ?? (isComplete && (isLate || overlap.has(live.price))))
  if (!past.isEndless) return read$()
  const started$ = defer(() => (wasConfirmed || end.hasFailed ? of(undefined) : live.started$))
  return concat(
    read$(),
    started$.pipe(mergeMap(() => readRest$(read$, hasReached, wasConfirmed))),
    defer(() => of(...end.rest())),
  )
}

/**
 * Reads a past again, until it has reached the live stream that follows it. `isComplete`: the past contains what was
 * recorded before the live stream started. `isLate`: a recorder of another client has had the time that it may be behind.
 */
export const readRest$ = <T>(
  read$: () => Observable<T>,
  hasReached: (isComplete: boolean, isLate: boolean) => boolean,
  wasConfirmed: boolean,
): Observable<T> =>
  defer(() => {
    const until = rxClock.elapsed() + recorderDelay
    const rest$ = (readings: number, isComplete: boolean): Observable<T> =>
      defer(() => {
        if (readings === 0 || hasReached(isComplete, rxClock.elapsed() >= until)) return EMPTY
        const turn$ = readings === maxReadings ? of(undefined) : delay$(rxClock, rereadTime)
        return concat(turn$.pipe(mergeMap(read$)), rest$(readings - 1, true))
      })
    return rest$(maxReadings, wasConfirmed)
  })

/** Where a past ends. */
export class PastEnd {
  /** The last event, if it is a gap. It is not emitted yet, because the next reading tells when it ends. */
  private gap: Gap | undefined
  hasFailed = false
  private lastAt: number | undefined
  /** Number of prices at `lastAt`. */
  private count = 0
  /** Number of prices at `lastAt` that the current reading repeats. */
  private repeated = 0

  constructor(
    private readonly isEndless: boolean,
    private readonly overlap: Overlap,
  ) {}

  /** Returns the time from which the past is read. Prices of this millisecond may follow. */
  startReading(): number | undefined {
    const from = this.gap?.from ?? this.lastAt
    this.gap = undefined
    this.repeated = this.count
    return from
  }

  /** Adds an event of the past. Returns the events that are new. */
  pass(event: Event, position: PricePosition | undefined): readonly Event[] {
    if (isLeft(event)) this.hasFailed = true
    else if (event.right._tag === 'PastPrice' && this.repeats(event.right.at, position)) return []
    const before = this.rest()
    if (isLeft(event)) return [...before, event]
    if (event.right._tag === 'Gap') {
      if (!this.isEndless) return [event]
      this.gap = event.right
      return before
    }
    const { at } = event.right
    this.count = at === this.lastAt ? this.count + 1 : 1
    this.lastAt = at
    this.overlap.add(event.right, position)
    return [...before, event]
  }

  /** The last event, if it is not emitted yet. */
  rest(): readonly Event[] {
    const { gap } = this
    this.gap = undefined
    return gap === undefined ? [] : [right(gap)]
  }

  private repeats(at: number, position: PricePosition | undefined): boolean {
    if (position !== undefined) return this.overlap.reaches(position) === true
    return at === this.lastAt && this.repeated-- > 0
  }
}
