import { isLeft, isRight, left, type Either, type Left } from 'fp-ts/lib/Either.js'
import type { Subscriber } from 'rxjs'
import type { Depth } from '../domain/depth.js'
import type { Price } from '../domain/price.js'
import { disconnected, stale } from '../errors/constructors.js'
import type { DepthError, PriceError } from '../errors/model.js'
import { safeNext } from '../task/safe-notify.js'
import { delay } from '../time/deadline.js'
import { rxClock } from '../time/rx-clock.js'

/** What late subscribers of a stream receive. */
export interface Retention<E, A> {
  /** The event that they receive after this event, if there is one. `before`: what they received until then. */
  readonly retainedAfter: (event: Either<E, A>, before: Either<E, A> | undefined) => Either<E, A> | undefined
  /** True if they receive an error in a later turn of the event loop. */
  readonly delaysErrors: boolean
  /** The error that they receive `ms` after it was emitted. */
  readonly agedBy: (error: E, ms: number) => E
}

/** The longest delay of a retained error, in ms. */
const maxErrorDelay = 100

/** The number of subscribers that may leave upon a retained error before the next ones receive it later. */
const maxRefusals = 10

/** A subscriber that comes within this time after another one left may be the same pipeline, in ms. */
const shortestTurn = 1

/** The event that a late subscriber of a stream receives first. */
export class RetainedEvent<E, A> {
  private current: Either<E, A> | undefined
  /** When the current error was emitted, monotonic, in ms. */
  private errorAt = 0
  /** When the last subscribers left upon the error, monotonic, in ms, and their number. */
  private refusedAt = -Infinity
  private refusals = 0
  /** The number of subscribers that have received the error later. */
  private errorRepeats = 0

  /** `elapsed`: the monotonic time at which events are emitted and subscribers come, in ms. */
  constructor(
    private readonly retention: Retention<E, A>,
    private readonly elapsed: () => number = rxClock.elapsed,
  ) {}

  get event(): Either<E, A> | undefined {
    return this.current
  }

  set event(event: Either<E, A> | undefined) {
    if (event === this.current) return
    this.current = event
    if (event === undefined || isRight(event)) return
    this.errorRepeats = 0
    this.errorAt = this.elapsed()
  }

  /**
   * Emits the event. `retry` without a delay subscribes again as soon as it receives an error, which would recurse without
   * end. After `maxRefusals`, subscribers therefore receive it later.
   */
  repeat(subscriber: Subscriber<Either<E, A>>): void {
    const { current } = this
    if (current === undefined) return
    if (isRight(current)) return subscriber.next(current)
    const isDelayed = this.retention.delaysErrors || this.isRefused
    subscriber.add(() => this.refuse())
    if (!isDelayed) return subscriber.next(this.aged(current))
    const ms = Math.min(this.errorRepeats++, maxErrorDelay)
    subscriber.add(
      delay(rxClock, ms, () => {
        if (this.current === current) safeNext(subscriber, this.aged(current))
      }),
    )
  }

  private aged(event: Left<E>): Either<E, A> {
    return left(this.retention.agedBy(event.left, this.elapsed() - this.errorAt))
  }

  private get isRefused(): boolean {
    return this.refusals >= maxRefusals && this.elapsed() - this.refusedAt < shortestTurn
  }

  private refuse(): void {
    const now = this.elapsed()
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
  agedBy: (error, ms) => {
    if (error._tag !== 'Stale') return error
    const { topic, silentForMs, last, behindMs } = error
    const added = Math.round(ms)
    return stale(topic, silentForMs + added, last, behindMs === undefined ? undefined : behindMs + added)
  },
}

/** What late subscribers of a topic receive while the connection is open: an outage is over. */
export const retainedWhileOpen = (
  before: Either<PriceError, Price> | undefined,
): Either<PriceError, Price> | undefined =>
  before !== undefined && isDisconnected(before) ? undefined : before

/** The error of streams during an outage that only a status has reported. It does not tell how the connection was closed. */
export const outage = (
  reason: string,
  { attempt, retryInMs }: { readonly attempt: number; readonly retryInMs: number } = { attempt: 1, retryInMs: 0 },
): PriceError => disconnected({ code: 1006, reason, attempt, retryInMs })

const isDisconnected = (event: Either<PriceError, Price>): boolean =>
  isLeft(event) && event.left._tag === 'Disconnected'

/** Late subscribers of a mint receive its latest result. */
export const depthRetention: Retention<DepthError, Depth> = {
  retainedAfter: (event) => event,
  delaysErrors: true,
  agedBy: (error) => error,
}
