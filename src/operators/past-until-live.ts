import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import {
  BehaviorSubject,
  concat,
  defer,
  EMPTY,
  ignoreElements,
  mergeMap,
  NEVER,
  of,
  repeat,
  switchMap,
  take,
  type Observable,
} from 'rxjs'
import {
  type PastSource,
  type Gap,
  type PastEvent,
  type PastPrice,
  copyPosition,
  type PricePosition,
} from '../base/domain/past.js'
import type { Price } from '../base/domain/price.js'
import type { HistoryError } from '../base/errors/model.js'
import { delay$ } from '../base/time/timers.js'
import { rxClock } from '../base/time/clock.js'

type Event = Either<HistoryError, PastEvent>

/** The time after the confirmation for which the first live price is waited for, in ms. */
const firstPriceTime = 1_000

/** The time between two readings, in ms, and their number, if the recorder has not stored the last prices yet. */
const rereadTime = 100
const maxReadings = 10

/** A live price is compared with past prices from this time before the subscription on, in ms. */
const comparedTime = 60_000

/** The start of the live stream that follows a past. */
export class LiveStart {
  private readonly phase$ = new BehaviorSubject<'subscribed' | 'confirmed' | 'started'>('subscribed')
  /** The position of the last price before the first live one, as far as it is known. */
  position: PricePosition | undefined
  /** The first live price, if the live stream has started with a price. */
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
    this.price = price
    if (position !== undefined) this.position = { run: position.run, count: position.count - 1 }
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
 * A past that may be read again from its end, and what it has delivered so far: an event that a reading repeats is not new.
 * All times are in ms since the Unix epoch.
 */
export class ContinuedPast {
  /** The last event. */
  private last: Event | undefined
  /** The last event, if it is a gap that is not emitted yet: the next reading tells when it ends. */
  private gap: Gap | undefined
  private lastPrice: (PastPrice & { readonly position: PricePosition | undefined }) | undefined
  /** The start of the current reading; `undefined` of the first one. */
  private from: number | undefined
  /** The highest count of each run. */
  private readonly counts = new Map<string, number>()
  /** The last prices with their times. */
  private readonly compared = new Set<string>()
  private readonly comparedFrom = rxClock.wallClock() - comparedTime

  constructor(private readonly source: PastSource<Event>) {}

  /** Of the last price. */
  get position(): PricePosition | undefined {
    return this.lastPrice?.position
  }

  /**
   * The past before a live stream: a first reading, and from its end on further readings until it has the price before the
   * first live one, by the positions of both. A recorder of another client has no common positions: it is read once more if
   * the live stream was not confirmed before the first reading, and a gap says that prices may be missing. A past with an
   * end, and one that has failed, is read once.
   */
  until$(live: LiveStart): Observable<Event> {
    if (!this.source.isEndless) return this.read$
    const wasConfirmed = live.isConfirmed
    const isBehind = (isFirst: boolean): boolean =>
      !this.hasFailed && !(this.reaches(live.position) ?? (wasConfirmed || !isFirst))
    return concat(
      this.read$,
      defer(() => (wasConfirmed || this.hasFailed ? EMPTY : live.started$.pipe(ignoreElements()))),
      readAgain$(this.read$, isBehind),
      defer(() => of(...this.finish(live))),
    )
  }

  /** True if the past has a live price: by its position, or without a common run by its value and time. */
  has({ price, receivedAt = NaN }: Partial<Price>, position: PricePosition | undefined): boolean {
    const isEarlier = receivedAt <= (this.lastPrice?.at ?? -Infinity)
    return this.reaches(position) ?? (isEarlier && this.compared.has(`${receivedAt} ${price}`))
  }

  private readonly read$ = defer(() => {
    const from = this.gap?.from ?? this.lastPrice?.at
    this.from = from
    this.gap = undefined
    let position: PricePosition | undefined
    return this.source
      .read$(from, (next) => (position = next))
      .pipe(mergeMap((event) => this.pass(event, position)))
  })

  private get hasFailed(): boolean {
    return this.last?._tag === 'Left'
  }

  /** Adds an event of the past. Returns the events that are new. */
  private pass(event: Event, position: PricePosition | undefined): readonly Event[] {
    const added = isRight(event) ? event.right : undefined
    if (added?._tag === 'PastPrice') {
      if (this.isRepeated(added.at, position)) return []
      this.addPrice({ ...added, position })
    }
    const before = this.takeGap()
    this.last = event
    if (added?._tag !== 'Gap' || !this.source.isEndless) return [...before, event]
    this.gap = added
    return before
  }

  private addPrice(price: PastPrice & { readonly position: PricePosition | undefined }): void {
    const { at, position } = price
    this.lastPrice = price
    if (position !== undefined) this.counts.set(position.run, position.count)
    if (at >= this.comparedFrom) this.compared.add(`${at} ${price.price}`)
  }

  /** The last event, if it is not emitted yet, or a gap if prices may be missing before the first live price. */
  private finish({ price, position }: LiveStart): readonly Event[] {
    const { last } = this
    const mayLack = this.reaches(position) !== true && !(price && this.has(price, undefined))
    if (!mayLack || last?._tag !== 'Right' || last.right._tag === 'Gap') return this.takeGap()
    const { topic, at: from } = last.right
    const to = Math.max(from + 1, price?.receivedAt ?? rxClock.wallClock())
    return [right({ _tag: 'Gap', topic, from, to, cause: 'unrecorded' })]
  }

  /** Whether the past reaches a position. `undefined` if it has no price of this run. */
  private reaches(position: PricePosition | undefined): boolean | undefined {
    const last = position && this.counts.get(position.run)
    return position === undefined || last === undefined ? undefined : position.count <= last
  }

  /** True if an earlier reading has delivered a price of the current one. */
  private isRepeated(at: number, position: PricePosition | undefined): boolean {
    const { from = -Infinity } = this
    return this.reaches(position) ?? (position === undefined && at <= from)
  }

  private takeGap(): readonly Event[] {
    const { gap } = this
    this.gap = undefined
    return gap === undefined ? [] : [right(gap)]
  }
}

/**
 * Reads a past again while it is behind the live stream: at once, and then every `rereadTime`. `isFirst`: it has not been read
 * since the live stream started.
 */
export const readAgain$ = <T>(
  read$: Observable<T>,
  isBehind: (isFirst: boolean) => boolean,
): Observable<T> => {
  const delayIfBehind$ = () => (isBehind(false) ? delay$(rxClock, rereadTime) : EMPTY)
  return defer(() =>
    isBehind(true) ? read$.pipe(repeat({ count: maxReadings, delay: delayIfBehind$ })) : EMPTY,
  )
}
