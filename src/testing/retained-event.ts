import { isLeft, isRight, left, type Either, type Left } from 'fp-ts/lib/Either.js'
import type { Subscriber } from 'rxjs'
import type { Depth } from '../base/domain/depth.js'
import type { Price } from '../base/domain/price.js'
import { resultOf, type PollSnapshot, type TopicSnapshot, type TopicState } from '../base/domain/snapshot.js'
import { disconnected, stale } from '../base/errors/constructors.js'
import type { DepthError, PriceError } from '../base/errors/model.js'
import { topicStateOf } from '../base/errors/topic-state.js'
import { safeNext } from '../base/task/safe-notify.js'
import { rxClock } from '../base/time/clock.js'

/** The events for late subscribers of a stream. */
export interface Retention<E, A> {
  /** The event for late subscribers after this event, if any. `before`: the event for late subscribers until now. */
  readonly retainedAfter: (event: Either<E, A>, before: Either<E, A> | undefined) => Either<E, A> | undefined
  /** The error for a late subscriber, `ms` after its emission. */
  readonly agedBy: (error: E, ms: number) => E
}

interface Tagged {
  readonly _tag: string
}

/** The state of a topic in `inspect()`, without its subscribers. */
export type LastPrice = Pick<TopicSnapshot, 'state' | 'lastPriceAgeMs'>

/** The state of a poll in `inspect()`, without its subscribers. */
export type LastDepth = Pick<PollSnapshot, 'lastResult' | 'lastResultAgeMs'>

/** The last event of a stream, and the one that a late subscriber receives first. Times are monotonic, in ms; NaN for none. */
export class RetainedEvent<E extends Tagged, A> {
  /** For late subscribers. */
  event: Either<E, A> | undefined
  last: Either<E, A> | undefined
  private lastAt = NaN
  /** When the last value of this connection came. */
  private valueAt = NaN

  /** `elapsed`: the monotonic time, in ms. */
  constructor(
    private readonly retention: Retention<E, A>,
    private readonly elapsed: () => number = rxClock.elapsed,
  ) {}

  /** An event of the stream. */
  add(event: Either<E, A>): void {
    this.event = this.retention.retainedAfter(event, this.event)
    this.last = event
    this.lastAt = this.elapsed()
    if (isRight(event)) this.valueAt = this.lastAt
    else if (endsConnection(this.state)) this.valueAt = NaN
  }

  get lastPrice(): LastPrice {
    return { state: this.state, lastPriceAgeMs: this.ageOf(this.valueAt) }
  }

  get lastDepth(): LastDepth {
    const lastResultAgeMs = this.event === undefined ? null : this.ageOf(this.lastAt)
    return { lastResult: resultOf(this.event), lastResultAgeMs }
  }

  private get state(): TopicState {
    if (this.last === undefined) return 'waiting'
    return isLeft(this.last) ? topicStateOf(this.last.left, !Number.isNaN(this.valueAt)) : 'live'
  }

  private ageOf(time: number): number | null {
    return Number.isNaN(time) ? null : Math.round(this.elapsed() - time)
  }

  repeat(subscriber: Subscriber<Either<E, A>>): void {
    const { event } = this
    if (event !== undefined) safeNext(subscriber, isRight(event) ? event : this.aged(event))
  }

  private aged(event: Left<E>): Either<E, A> {
    return left(this.retention.agedBy(event.left, this.elapsed() - this.lastAt))
  }
}

const endsConnection = (state: TopicState): boolean => state === 'down' || state === 'waiting'

/**
 * Late subscribers of a topic receive its current price, or the error that explains why there is none: after an outage, until the
 * next price. They do not receive a `SubscriptionTimeout`.
 */
export const priceRetention: Retention<PriceError, Price> = {
  retainedAfter: (event, before) => {
    const isRetained =
      isRight(event) ||
      isDisconnected(event) ||
      event.left._tag === 'Stale' ||
      event.left._tag === 'DecodeError'
    if (isRetained) return event
    return before !== undefined && isLeft(before) ? before : undefined
  },
  agedBy: (error, ms) => {
    if (error._tag !== 'Stale') return error
    const { topic, silentForMs, last, behindMs } = error
    const added = Math.round(ms)
    return stale(topic, silentForMs + added, last, behindMs === undefined ? undefined : behindMs + added)
  },
}

/** The error of streams during an outage that only a status has reported. It does not contain how the connection was closed. */
export const outage = (
  reason: string,
  { attempt, retryInMs }: { readonly attempt: number; readonly retryInMs: number } = {
    attempt: 1,
    retryInMs: 0,
  },
): PriceError => disconnected({ code: 1006, reason, attempt, retryInMs })

export const isDisconnected = (event: Either<{ readonly _tag: string }, unknown>): boolean =>
  isLeft(event) && event.left._tag === 'Disconnected'

/** Late subscribers of a mint receive its latest result. */
export const depthRetention: Retention<DepthError, Depth> = {
  retainedAfter: (event) => event,
  agedBy: (error) => error,
}
