import { isLeft, type Left } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, type Observable } from 'rxjs'
import { canonicalAddress, type Address } from '../../base/domain/topic.js'
import type { DepthError } from '../../base/errors/model.js'
import { backoff, type BackoffPolicy } from '../../base/time/backoff.js'
import type { Clock } from '../../base/time/clock.js'
import type { DepthEvent } from '../../wire/http/requests.js'

/**
 * The backoff of each mint that has polls or recent failures. Failures are kept after the polls have ended, so that
 * rapid resubscription cannot cause a loop of requests. They are forgotten without a timer, which would keep the process
 * alive.
 */
export class MintBackoffs {
  /** Those without polls in the order in which the last poll ended. */
  private readonly backoffs = new Map<Address, MintBackoff>()

  constructor(
    private readonly clock: Clock,
    private readonly policy: BackoffPolicy,
  ) {}

  /** The number of mints, including those that are forgotten next. */
  get size(): number {
    return this.backoffs.size
  }

  /** Adds a poll to the backoff of its mint. */
  acquire(mint: Address): MintBackoff {
    const key = canonicalAddress(mint)
    const known = this.backoffs.get(key)
    const backoff =
      known === undefined || known.isForgotten ? new MintBackoff(this.clock, this.policy) : known
    this.backoffs.set(key, backoff)
    backoff.polls++
    return backoff
  }

  /** Removes a poll from the backoff of its mint. */
  release(mint: Address, backoff: MintBackoff): void {
    const key = canonicalAddress(mint)
    if (--backoff.polls > 0) return
    this.backoffs.delete(key)
    if (!backoff.isForgotten) this.backoffs.set(key, backoff)
    for (const [other, { polls, isForgotten }] of this.backoffs) {
      if (isForgotten) this.backoffs.delete(other)
      else if (polls === 0) return
    }
  }
}

/** The result of a request. `at`: monotonic, in ms. */
export interface Result<E extends DepthEvent = DepthEvent> {
  readonly event: E
  readonly at: number
}

/** The consecutive failures of one mint, and the wait after them. All polls of the mint share it. */
export class MintBackoff {
  /** The number of polls that use this object. */
  polls = 0
  private consecutiveFailures = 0
  private lastFailure: Result<Left<DepthError>> | undefined
  private readonly retryTimes$ = new BehaviorSubject(0)

  constructor(
    private readonly clock: Clock,
    private readonly policy: BackoffPolicy,
  ) {}

  get failures(): number {
    return this.consecutiveFailures
  }

  /** Earliest time of the next request, monotonic, in ms. */
  get retryAt(): number {
    return this.retryTimes$.value
  }

  /** The current `retryAt`, then each change. */
  get retryAt$(): Observable<number> {
    return this.retryTimes$
  }

  /** The last failure, while its wait runs. */
  get currentFailure(): Result<Left<DepthError>> | undefined {
    return this.retryAt > this.clock.elapsed() ? this.lastFailure : undefined
  }

  /** True if no poll uses this object, and its failures no longer count. */
  get isForgotten(): boolean {
    const { failures, polls, policy } = this
    const hasExpired = failures === 0 || this.clock.elapsed() - this.retryAt >= policy.maxDelay
    return polls === 0 && hasExpired
  }

  onResult(event: DepthEvent): void {
    if (isLeft(event)) this.onFailure(event)
    else if (this.consecutiveFailures > 0) this.reset()
  }

  /** A failure never shortens the wait: the service may have requested it in its response to another poll. */
  private onFailure(event: Left<DepthError>): void {
    const now = this.clock.elapsed()
    this.consecutiveFailures++
    this.lastFailure = { event, at: now }
    const retryAt = now + this.delayAfter(event.left)
    if (retryAt > this.retryAt) this.retryTimes$.next(retryAt)
  }

  private reset(): void {
    this.consecutiveFailures = 0
    this.lastFailure = undefined
    this.retryTimes$.next(0)
  }

  /** The longer of the backoff and the service's `Retry-After`, in ms. */
  private delayAfter(error: DepthError): number {
    const retryAfterMs = 'retryAfterMs' in error ? (error.retryAfterMs ?? 0) : 0
    const afterFailures = backoff(this.policy, this.consecutiveFailures, Math.random())
    return Math.max(afterFailures, Math.min(retryAfterMs, this.policy.maxDelay))
  }
}
