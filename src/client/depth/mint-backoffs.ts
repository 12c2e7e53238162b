import { isLeft, type Left } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, type Observable } from 'rxjs'
import { canonicalAddress, type Address } from '../../base/domain/address.js'
import type { DepthError } from '../../base/errors/model.js'
import type { DepthEvent } from '../../wire/http/depth-request.js'
import { backoff, type BackoffPolicy } from '../../base/time/backoff.js'
import type { Clock } from '../../base/time/clock.js'

/** The minimum time between two removals of expired entries, in ms: each removal scans all entries. */
const minScanInterval = 1_000

/**
 * The backoff of each mint that has polls or recent failures. Failures are kept after the polls have ended, so that
 * rapid resubscription cannot cause a loop of requests. Expired entries are removed without a timer, because a timer
 * would keep the process alive.
 */
export class MintBackoffs {
  private readonly entries = new Map<Address, MintBackoff>()
  private nextScanAt = 0

  constructor(
    private readonly clock: Clock,
    private readonly policy: BackoffPolicy,
  ) {}

  /** The number of entries, including expired entries. */
  get size(): number {
    return this.entries.size
  }

  /** Adds a poll to the backoff of its mint. */
  acquire(mint: Address): MintBackoff {
    const key = canonicalAddress(mint)
    const entry = this.currentEntry(key) ?? new MintBackoff(this.clock, this.policy)
    this.entries.set(key, entry)
    entry.polls++
    return entry
  }

  /** Removes a poll from the backoff of its mint. */
  release(mint: Address): void {
    const key = canonicalAddress(mint)
    const entry = this.entries.get(key)
    if (entry !== undefined) entry.polls--
    if (this.currentEntry(key) === undefined) this.entries.delete(key)
    this.removeExpired()
  }

  private currentEntry(key: Address): MintBackoff | undefined {
    const entry = this.entries.get(key)
    return entry?.isExpired(this.clock.elapsed()) === false ? entry : undefined
  }

  private removeExpired(): void {
    const now = this.clock.elapsed()
    if (now < this.nextScanAt) return
    this.nextScanAt = now + Math.max(minScanInterval, this.policy.maxDelay)
    for (const [key, entry] of this.entries) if (entry.isExpired(now)) this.entries.delete(key)
  }
}

/** A failed request. Times are monotonic, in ms. */
export interface Failure {
  readonly event: Left<DepthError>
  readonly failedAt: number
}

/** The consecutive failures of one mint, and the wait after them. All polls of the mint share it. */
export class MintBackoff {
  /** The number of polls that use this object. */
  polls = 0
  private consecutiveFailures = 0
  private lastFailure: Failure | undefined
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
  get currentFailure(): Failure | undefined {
    return this.retryAt > this.clock.elapsed() ? this.lastFailure : undefined
  }

  /** True if no poll uses this object, and its failures no longer count. */
  isExpired(now: number): boolean {
    const { failures, polls, policy } = this
    return polls === 0 && (failures === 0 || now - this.retryAt >= policy.maxDelay)
  }

  onResult(event: DepthEvent): void {
    if (isLeft(event)) this.onFailure(event)
    else if (this.consecutiveFailures > 0) this.reset()
  }

  /** A failure never shortens the wait: the service may have requested it in its response to another poll. */
  private onFailure(event: Left<DepthError>): void {
    const now = this.clock.elapsed()
    this.consecutiveFailures++
    this.lastFailure = { event, failedAt: now }
    const retryAt = Math.max(this.retryAt, now + this.delayAfter(event.left))
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
