import type { Address } from '../domain/address.js'

interface Unsubscription {
  readonly leftAt: number
  /** Until when its subscribe may still be answered; 0 where it was. */
  answerableUntil: number
}

/**
 * The topics that were left on this connection a moment ago: what is still on its way for them is no error.
 * All times are of the clock that only moves forward, in ms.
 */
export class RecentlyUnsubscribed {
  private readonly departures = new Map<Address, Unsubscription>()

  /** `grace`: how long late frames are to be expected, in ms. */
  constructor(private readonly grace: number) {}

  add(base: Address, now: number, answerableUntil: number): void {
    for (const [oldest, { leftAt }] of this.departures) {
      if (now - leftAt < this.grace) break
      this.departures.delete(oldest)
    }
    this.departures.delete(base)
    this.departures.set(base, { leftAt: now, answerableUntil })
  }

  /** Whether frames for this topic are to be expected still. */
  has(base: Address, now: number): boolean {
    const departure = this.departures.get(base)
    return departure !== undefined && now - departure.leftAt < this.grace
  }

  answered(base: Address): void {
    const departure = this.departures.get(base)
    if (departure !== undefined) departure.answerableUntil = 0
  }

  unanswered(now: number): readonly Address[] {
    return [...this.departures]
      .filter(([, { answerableUntil }]) => now < answerableUntil)
      .map(([base]) => base)
  }

  clear(): void {
    this.departures.clear()
  }
}
