import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import {
  BehaviorSubject,
  concat,
  defer,
  EMPTY,
  filter,
  mergeMap,
  NEVER,
  of,
  switchMap,
  take,
  toArray,
  type Observable,
} from 'rxjs'
import { readerOf } from '../domain/joinable.js'
import type { Gap, PastEvent } from '../domain/past.js'
import type { Price } from '../domain/price.js'
import type { HistoryError } from '../errors/model.js'
import { delay$ } from '../time/deadline.js'
import { rxClock } from '../time/rx-clock.js'

type Event = Either<HistoryError, PastEvent>

/** The time after the confirmation for which the first live price is waited for, in ms. */
const firstPriceTime = 1_000

/** The start of the live stream that follows a past. */
export class LiveStart {
  private readonly phase$ = new BehaviorSubject<'subscribed' | 'confirmed' | 'started'>('subscribed')

  /** The events are those of the live stream until now. */
  constructor(private readonly events: readonly { readonly event: Either<unknown, unknown> }[]) {}

  /** The live prices until now, without those after a failure. */
  get prices(): readonly number[] {
    const failure = this.events.findIndex(({ event }) => isLeft(event))
    return this.events
      .slice(0, failure < 0 ? undefined : failure)
      .flatMap(({ event }) => (isLeft(event) ? [] : [(event.right as Price).price]))
  }

  /** True if the live stream has each price of the service from now on, or has failed. */
  get isConfirmed(): boolean {
    return this.phase$.value !== 'subscribed'
  }

  readonly confirm = (): void => {
    if (!this.isConfirmed) this.phase$.next('confirmed')
  }

  /** The live stream has emitted, or has completed. */
  start(): void {
    if (this.phase$.value !== 'started') this.phase$.next('started')
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
 * The past before a live stream. If the live stream is not confirmed yet, and the past ends with its subscription, the
 * past is read again from its last price on, after the first live price: the rest, which ends where the live prices
 * start. After a failure of the past, there is no rest.
 */
export const continuedPast$ = (past$: Observable<Event>, live: LiveStart): Observable<Event> => {
  const read$ = readerOf(past$)
  if (live.isConfirmed || read$ === undefined) return past$
  const end = new PastEnd()
  const readRest$ = (): Observable<Event> => {
    // Without a live price, it is not certain that the recorder has the first one: equal prices would show nothing.
    const containsLive = live.prices.length > 0
    return read$(end.from).pipe(
      filter((event) => !end.repeats(event)),
      toArray(),
      mergeMap((rest) => (containsLive ? beforeLive(rest, live.prices) : rest)),
    )
  }
  const whole$ = past$.pipe(mergeMap((event) => end.pass(event)))
  return concat(
    whole$,
    defer(() => (end.hasFailed ? EMPTY : live.started$.pipe(mergeMap(readRest$)))),
  )
}

/** Where a past ends. */
class PastEnd {
  /** The last event, if it is a gap. It is not emitted, because the rest tells when it ends. */
  private gap: Gap | undefined
  hasFailed = false
  private lastAt: number | undefined
  /** Number of prices at `lastAt`. */
  private count = 0

  /** The time from which the rest is read. Prices of this millisecond may follow. */
  get from(): number | undefined {
    return this.gap?.from ?? this.lastAt
  }

  /** Adds an event of the past. Returns the events that the rest does not repeat. */
  pass(event: Event): readonly Event[] {
    const before = this.gap === undefined ? [] : [right(this.gap)]
    this.gap = undefined
    if (isLeft(event)) this.hasFailed = true
    else if (event.right._tag === 'Gap') {
      this.gap = event.right
      return before
    } else {
      this.count = event.right.at === this.lastAt ? this.count + 1 : 1
      this.lastAt = event.right.at
    }
    return [...before, event]
  }

  /** True if an event of the rest is a price of the past. Called for each event of the rest, in order. */
  repeats(event: Event): boolean {
    if (isLeft(event) || event.right._tag === 'Gap' || event.right.at !== this.lastAt) return false
    return this.count-- > 0
  }
}

/**
 * The events before those that are also live prices: the shortest end that agrees with the live prices. Times are not
 * compared, because the recorder may have another clock.
 */
const beforeLive = (rest: readonly Event[], live: readonly number[]): readonly Event[] => {
  const prices = rest.flatMap((event, index) =>
    isLeft(event) || event.right._tag === 'Gap' ? [] : [{ index, price: event.right.price }],
  )
  const start = prices.findLastIndex((_, first) =>
    prices.slice(first, first + live.length).every(({ price }, offset) => price === live[offset]),
  )
  return rest.slice(0, prices[start]?.index)
}
