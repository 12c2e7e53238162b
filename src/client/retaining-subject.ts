import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Observer, type Subscriber } from 'rxjs'
import type { Depth } from '../domain/depth.js'
import type { Price } from '../domain/price.js'
import type { DepthError, PriceError } from '../errors/model.js'
import { Multicast } from '../task/multicast.js'
import { delay } from '../time/deadline.js'
import { rxClock } from '../time/rx-clock.js'

/** What late subscribers of a stream receive. */
export interface Retention<E, A> {
  /** The event that they receive after this event, if there is one. `before`: what they received until then. */
  readonly retainedAfter: (event: Either<E, A>, before: Either<E, A> | undefined) => Either<E, A> | undefined
  /** True if they receive an error in a later turn of the event loop. */
  readonly delaysErrors: boolean
}

/** The longest delay of a retained error, in ms. */
const maxErrorDelay = 100

/** The number of subscribers that may leave upon a retained error before the next ones receive it later. */
const maxRefusals = 10

/** A subscriber that comes within this time after another one left may be the same pipeline, in ms. */
const shortestTurn = 1

/** Like an RxJS `Subject`. A late subscriber receives the retained event first, as from a live client. */
export class RetainingSubject<E, A> extends Observable<Either<E, A>> implements Observer<Either<E, A>> {
  private readonly events$ = new Multicast<Either<E, A>>()
  private retained: Either<E, A> | undefined
  /** When the last subscribers left upon the retained error, monotonic, in ms, and their number. */
  private refusedAt = -Infinity
  private refusals = 0
  /** The number of subscribers that have received the retained error later. */
  private errorRepeats = 0

  constructor(private readonly retention: Retention<E, A>) {
    super((subscriber) => {
      this.events$.subscribe(subscriber)
      if (this.retained !== undefined) this.repeat(this.retained, subscriber)
    })
  }

  next(event: Either<E, A>): void {
    this.retained = this.retention.retainedAfter(event, this.retained)
    this.errorRepeats = 0
    this.events$.next(event)
  }

  /** Changes what late subscribers receive. */
  updateRetained(update: (before: Either<E, A> | undefined) => Either<E, A> | undefined): void {
    this.retained = update(this.retained)
  }

  error(thrown: unknown): void {
    this.retained = undefined
    this.events$.error(thrown)
  }

  complete(): void {
    this.retained = undefined
    this.events$.complete()
  }

  /**
   * `retry` without a delay subscribes again as soon as it receives an error, which would recurse without end. After
   * `maxRefusals`, subscribers therefore receive it later, as from a live client.
   */
  private repeat(retained: Either<E, A>, subscriber: Subscriber<Either<E, A>>): void {
    if (isRight(retained)) return subscriber.next(retained)
    const isDelayed = this.retention.delaysErrors || this.isRefused
    subscriber.add(() => this.refuse())
    if (!isDelayed) return subscriber.next(retained)
    const ms = Math.min(this.errorRepeats++, maxErrorDelay)
    subscriber.add(
      delay(rxClock, ms, () => {
        if (this.retained === retained) subscriber.next(retained)
      }),
    )
  }

  private get isRefused(): boolean {
    return this.refusals >= maxRefusals && rxClock.elapsed() - this.refusedAt < shortestTurn
  }

  private refuse(): void {
    const now = rxClock.elapsed()
    this.refusals = now - this.refusedAt < shortestTurn ? this.refusals + 1 : 1
    this.refusedAt = now
  }
}

/** Late subscribers of a topic receive its current price, or why there is none. */
export const priceRetention: Retention<PriceError, Price> = {
  retainedAfter: (event, before) => {
    if (isRight(event) || isDisconnected(event) || event.left._tag === 'Stale') return event
    return event.left._tag === 'DecodeError' ? retainedWhileOpen(before) : undefined
  },
  delaysErrors: false,
}

/** What late subscribers of a topic receive while the connection is open: an outage is over. */
export const retainedWhileOpen = (
  before: Either<PriceError, Price> | undefined,
): Either<PriceError, Price> | undefined =>
  before !== undefined && isDisconnected(before) ? undefined : before

const isDisconnected = (event: Either<PriceError, Price>): boolean =>
  isLeft(event) && event.left._tag === 'Disconnected'

/** Late subscribers of a mint receive its latest result. */
export const depthRetention: Retention<DepthError, Depth> = {
  retainedAfter: (event) => event,
  delaysErrors: true,
}
