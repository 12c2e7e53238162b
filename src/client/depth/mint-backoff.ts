import { isLeft, type Left } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, type Observable } from 'rxjs'
import type { DepthError } from '../../base/errors/model.js'
import { backoff, type BackoffPolicy } from '../../base/time/backoff.js'
import type { Clock } from '../../base/time/clock.js'
import type { DepthEvent } from '../../wire/http/requests.js'

/** The result of a request. `at`: monotonic, in ms. */
export interface Result<E extends DepthEvent = DepthEvent> {
  readonly event: E
  readonly at: number
}

/** The consecutive failures of one mint, and the wait after them. All polls of the mint share it. */
export class MintBackoff {
  /** The number of consecutive ones. */
  failures = 0
  private lastFailure: Result<Left<DepthError>> | undefined
  private readonly retryTimes$ = new BehaviorSubject(0)

  constructor(
    private readonly clock: Clock,
    private readonly policy: BackoffPolicy,
  ) {}

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

  /** True if its failures no longer count for a new poll. */
  get isForgotten(): boolean {
    return this.failures === 0 || this.clock.elapsed() - this.retryAt >= this.policy.maxDelay
  }

  onResult(event: DepthEvent): void {
    if (isLeft(event)) this.onFailure(event)
    else if (this.failures > 0) this.reset()
  }

  /** A failure never shortens the wait: the service may have requested it in its response to another poll. */
  private onFailure(event: Left<DepthError>): void {
    const now = this.clock.elapsed()
    this.failures++
    this.lastFailure = { event, at: now }
    const retryAt = now + this.delayAfter(event.left)
    if (retryAt > this.retryAt) this.retryTimes$.next(retryAt)
  }

  private reset(): void {
    this.failures = 0
    this.lastFailure = undefined
    this.retryTimes$.next(0)
  }

  /** The longer of the backoff and the service's `Retry-After`, in ms. */
  private delayAfter(error: DepthError): number {
    const retryAfterMs = 'retryAfterMs' in error ? (error.retryAfterMs ?? 0) : 0
    const afterFailures = backoff(this.policy, this.failures, Math.random())
    return Math.max(afterFailures, Math.min(retryAfterMs, this.policy.maxDelay))
  }
}
