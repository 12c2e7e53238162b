import { isLeft, isRight, left, type Either, type Left } from 'fp-ts/lib/Either.js'
import type { Subscriber } from 'rxjs'
import type { Depth } from '../base/domain/depth.js'
import type { Price } from '../base/domain/price.js'
import { disconnected, stale } from '../base/errors/constructors.js'
import type { DepthError, PriceError } from '../base/errors/model.js'
import { safeNext } from '../base/task/safe-notify.js'
import { repeatLater } from './at-once-limit.js'
import { maxRefusals, RepeatCount } from '../base/time/backoff.js'
import { activeTimeKey, rxClock } from '../base/time/rx-clock.js'

/** The events for late subscribers of a stream. */
export interface Retention<E, A> {
  /** The event for late subscribers after this event, if any. `before`: the event for late subscribers until now. */
  readonly retainedAfter: (event: Either<E, A>, before: Either<E, A> | undefined) => Either<E, A> | undefined
  /** True if late subscribers receive an error in a later turn of the event loop. */
  readonly delaysErrors: boolean
  /** The error for a late subscriber, `ms` after its emission. */
  readonly agedBy: (error: E, ms: number) => E
}

/** A subscriber that joins within this time after another one left may be the same pipeline, in ms. */
const shortestTurn = 1

/** The subscribers of one strategy that received the retained error: parameters of a sweep share streams. */
interface Repeats {
  /** When the last subscribers left, monotonic, in ms, and their number. */
  refusedAt: number
  refusals: number
  /** Of the event that subscribers received later. */
  readonly delays: RepeatCount
}

/** The event that a late subscriber of a stream receives first. */
export class RetainedEvent<E, A> {
  private current: Either<E, A> | undefined
  /** When the current error was emitted, monotonic, in ms. */
  private errorAt = 0
  private readonly repeats = new WeakMap<object, Repeats>()

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
    if (event !== undefined && isLeft(event)) this.errorAt = this.elapsed()
  }

  /** Emits the event: an error later, after `maxRefusals`. Returns true if the subscriber has received it. */
  repeat(subscriber: Subscriber<Either<E, A>>): boolean {
    const { current } = this
    if (current === undefined) return false
    if (isRight(current)) {
      subscriber.next(current)
      return true
    }
    const repeats = this.repeatsOf(activeTimeKey())
    const emit = (): void => {
      if (this.current !== current) return
      subscriber.add(() => this.refuse(repeats))
      safeNext(subscriber, this.aged(current))
    }
    if (!this.retention.delaysErrors && !this.isRefused(repeats)) {
      emit()
      return true
    }
    repeatLater(subscriber, repeats.delays.next(current), emit)
    return false
  }

  private aged(event: Left<E>): Either<E, A> {
    return left(this.retention.agedBy(event.left, this.elapsed() - this.errorAt))
  }

  private repeatsOf(key: object): Repeats {
    const existing = this.repeats.get(key)
    if (existing !== undefined) return existing
    const repeats: Repeats = { refusedAt: -Infinity, refusals: 0, delays: new RepeatCount() }
    this.repeats.set(key, repeats)
    return repeats
  }

  private isRefused({ refusals, refusedAt }: Repeats): boolean {
    return refusals >= maxRefusals && this.elapsed() - refusedAt < shortestTurn
  }

  private refuse(repeats: Repeats): void {
    const now = this.elapsed()
    repeats.refusals = now - repeats.refusedAt < shortestTurn ? repeats.refusals + 1 : 1
    repeats.refusedAt = now
  }
}

/** Late subscribers of a topic receive its current price, or the error that explains why there is none. */
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

/** The event for late subscribers of a topic while the connection is open: an outage is over. */
export const retainedWhileOpen = (
  before: Either<PriceError, Price> | undefined,
): Either<PriceError, Price> | undefined =>
  before !== undefined && isDisconnected(before) ? undefined : before

/**
 * The error of streams during an outage that only a status has reported. It does not contain how the connection was
 * closed.
 */
export const outage = (
  reason: string,
  { attempt, retryInMs }: { readonly attempt: number; readonly retryInMs: number } = {
    attempt: 1,
    retryInMs: 0,
  },
): PriceError => disconnected({ code: 1006, reason, attempt, retryInMs })

const isDisconnected = (event: Either<PriceError, Price>): boolean =>
  isLeft(event) && event.left._tag === 'Disconnected'

/** Late subscribers of a mint receive its latest result. */
export const depthRetention: Retention<DepthError, Depth> = {
  retainedAfter: (event) => event,
  delaysErrors: true,
  agedBy: (error) => error,
}
