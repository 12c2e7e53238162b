import type { Either } from 'fp-ts/lib/Either.js'
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
import type { PastSource } from '../base/domain/joinable.js'
import type { PastEvent } from '../base/domain/past.js'
import { copyPosition, type PricePosition } from '../base/domain/position.js'
import type { Price } from '../base/domain/price.js'
import type { HistoryError } from '../base/errors/model.js'
import { delay$ } from '../base/time/deadline.js'
import { rxClock } from '../base/time/rx-clock.js'
import type { PastEnd } from './past-end.js'

type Event = Either<HistoryError, PastEvent>

/** The time after the confirmation for which the first live price is waited for, in ms. */
const firstPriceTime = 1_000

/** The time between two readings, in ms, and their number, if the recorder has not stored the last prices yet. */
export const rereadTime = 100
export const maxReadings = 10

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
 * The past before a live stream: a first reading, and from its end on further readings until it has the price before the
 * first live one, by the positions of both. A recorder of another client has no common positions: it is read once more if
 * the live stream was not confirmed before the first reading, and a gap says that prices may be missing. A past with an
 * end, and one that has failed, is read once.
 */
export const pastUntilLive$ = (past: PastSource<Event>, live: LiveStart, end: PastEnd): Observable<Event> => {
  const read$ = defer(() => {
    let position: PricePosition | undefined
    return past
      .read$(end.startReading(), (next) => (position = next))
      .pipe(mergeMap((event) => end.pass(event, position)))
  })
  if (!past.isEndless) return read$
  const wasConfirmed = live.isConfirmed
  const isBehind = (isFirst: boolean): boolean =>
    !end.hasFailed && !(end.reaches(live.position) ?? (wasConfirmed || !isFirst))
  return concat(
    read$,
    defer(() => (wasConfirmed || end.hasFailed ? EMPTY : live.started$.pipe(ignoreElements()))),
    readAgain$(read$, isBehind),
    defer(() => of(...end.finish(mayLack(end, live) ? startOf(live) : undefined))),
  )
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

/** True if prices may be missing between the past and the first live price. */
const mayLack = (end: PastEnd, { position, price }: LiveStart): boolean =>
  !end.hasFailed && end.reaches(position) !== true && !(price && end.has(price, undefined))

const startOf = ({ price }: LiveStart): number => price?.receivedAt ?? rxClock.wallClock()
