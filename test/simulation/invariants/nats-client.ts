import type { Ledger } from './ledger.js'
import type { NatsPrices } from './nats-prices.js'

// What holds for a client over NATS at any time: `docs/promises.md`, "NATS". Times are those in which its process was running.

/** A gateway that does not answer for this time is lost: the promised 2 s and what the event loop takes, in ms. */
const silenceMs = 3_000

/** A session from which an update is missing ends by then, also if no other one follows: the promise, and a check. In ms. */
const missingMs = 4_000

/** The sessions of a client over NATS. */
export class NatsSessions {
  /** Since when a further update of each topic is missing. */
  private readonly missingSince = new Map<string, number>()

  constructor(
    private readonly ledger: Ledger,
    private readonly prices: NatsPrices,
  ) {}

  /** What is wrong, if anything is. */
  problem(): string | undefined {
    const { open, process, answeredAt } = this.ledger
    if (open === undefined) {
      this.missingSince.clear()
      return undefined
    }
    const silent = process.activeMs - Math.max(answeredAt, open.openedAt)
    if (silent > silenceMs) return `the gateway has not answered for ${silent} ms, and the session is open`
    for (const [base, { isConfirmed, arrivedIndex }] of open.topics) {
      const isMissing = isConfirmed && arrivedIndex >= 0 && this.prices.isBehind(open.socket, base)
      if (!isMissing) this.missingSince.delete(base)
      else if (!this.missingSince.has(base)) this.missingSince.set(base, process.activeMs)
      const waited = process.activeMs - (this.missingSince.get(base) ?? process.activeMs)
      if (waited > missingMs)
        return `an update of ${base} is missing for ${waited} ms, and the session is open`
    }
    return undefined
  }
}
