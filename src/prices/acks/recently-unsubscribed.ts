import type { Address } from '../../domain/address.js'

interface Unsubscription {
  readonly at: number
  /** Until when an ack of the subscribe frame may arrive; 0 after the ack. */
  pendingUntil: number
}

/**
 * The topics that the client recently unsubscribed on one connection. Late frames for them are not errors.
 * All times are monotonic, in ms.
 */
export class RecentlyUnsubscribed {
  /** In the order of unsubscription, the oldest first. */
  private readonly unsubscriptions = new Map<Address, Unsubscription>()

  /** `grace`: how long late frames are accepted, in ms. */
  constructor(private readonly grace: number) {}

  add(base: Address, now: number, pendingUntil: number): void {
    for (const [oldest, { at }] of this.unsubscriptions) {
      if (now - at < this.grace) break
      this.unsubscriptions.delete(oldest)
    }
    this.unsubscriptions.delete(base)
    this.unsubscriptions.set(base, { at: now, pendingUntil })
  }

  /** True while late frames for this topic are accepted. */
  has(base: Address, now: number): boolean {
    const unsubscription = this.unsubscriptions.get(base)
    return unsubscription !== undefined && now - unsubscription.at < this.grace
  }

  onAck(base: Address): void {
    const unsubscription = this.unsubscriptions.get(base)
    if (unsubscription !== undefined) unsubscription.pendingUntil = 0
  }

  /** True while the subscribe frame of this topic waits for an ack. */
  isPending(base: Address, now: number): boolean {
    return now < (this.unsubscriptions.get(base)?.pendingUntil ?? 0)
  }

  /** The topics whose subscribe frame waits for an ack. */
  *pending(now: number): Generator<Address> {
    for (const base of this.unsubscriptions.keys()) if (this.isPending(base, now)) yield base
  }

  /** The number of topics for which late frames are accepted. */
  count(now: number): number {
    let count = 0
    for (const { at } of this.unsubscriptions.values()) if (now - at < this.grace) count++
    return count
  }

  clear(): void {
    this.unsubscriptions.clear()
  }
}
