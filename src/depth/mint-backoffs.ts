import { canonicalAddress, type Address } from '../domain/address.js'
import type { BackoffPolicy } from '../time/backoff.js'
import type { Clock } from '../time/clock.js'
import { MintBackoff } from './mint-backoff.js'

/** The minimum time between two removals of expired entries, in ms: each removal scans all entries. */
const minScanInterval = 1_000

/**
 * The backoff of each mint that has polls or remembered failures. Failures outlive the polls, so that rapid
 * resubscription cannot cause a loop of requests. Expired entries are removed without a timer, which would keep the
 * process alive.
 */
export class MintBackoffs {
  private readonly entries = new Map<Address, MintBackoff>()
  private nextScanAt = 0

  constructor(
    private readonly clock: Clock,
    private readonly policy: BackoffPolicy,
  ) {}

  /** The number of entries, expired ones included. */
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
