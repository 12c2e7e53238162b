import { leaseTime } from '../../../src/nats/gateway/lease.js'
import { keptMs } from './consumers.js'
import type { Ledger } from './ledger.js'

/** What a lease takes to expire, a request to arrive, and the event loops, in ms. */
const slackMs = 2_000

/** The topics that a gateway over NATS has subscribed to, and those that its consumers want. */
export class NatsDemand {
  /** Since when each subscribed topic is unwanted, in ms in which the process was running. */
  private readonly unwantedSince = new Map<string, number>()

  constructor(
    private readonly ledger: Ledger,
    private readonly wanted: () => ReadonlySet<string>,
  ) {}

  /** A topic that no client over NATS wants is released when the leases of those that have wanted it have ended. */
  problem(): string | undefined {
    const { open, process, wantedSince } = this.ledger
    const now = process.activeMs
    const wanted = this.wanted()
    for (const base of this.unwantedSince.keys()) if (!wantedSince.has(base)) this.unwantedSince.delete(base)
    for (const base of wantedSince.keys()) {
      if (wanted.has(base)) {
        this.unwantedSince.delete(base)
        continue
      }
      const since = this.unwantedSince.get(base) ?? now
      this.unwantedSince.set(base, since)
      const upMs = open === undefined ? 0 : now - open.openedAt
      const waited = Math.min(now - since, upMs)
      if (waited > leaseTime + keptMs + slackMs)
        return `${base} is unwanted and was not released for ${waited} ms`
    }
    return undefined
  }
}
