import type { SimulatedTcp } from '../world/tcp.js'
import type { ClientTimes, Ledger } from './ledger.js'
import type { NatsPrices } from './nats-prices.js'

// What holds for a client over NATS at any time: `docs/reference/guarantees.md`, "NATS". Times are those in which its process was running.

/** A gateway that does not answer for this time is lost: the promised 2 s and what the event loop takes, in ms. */
const silenceMs = 3_000

/**
 * A session from which an update is missing ends by then, also if no other one follows: the promise, and a check. An
 * update that is late by less than `maxLag` is not missing, and what shows that it is lost may be as late. In ms.
 */
const missingMs = ({ maxLag }: ClientTimes): number => Math.max(4_000, maxLag + 2_000)

/** A connection to NATS over which nothing passes ends by then: three pings of 450 ms, and what the event loop takes. In ms. */
const deadMs = 2_500

/** What a process sends to NATS never waits for long: memory does not grow with the time in which NATS takes nothing. */
export const problemOfTcp = ({ unreadMs }: SimulatedTcp): string | undefined =>
  unreadMs > deadMs
    ? `the NATS server has not read for ${unreadMs} ms what was sent, and the connection is open`
    : undefined

/** The sessions of a client over NATS. */
export class NatsSessions {
  /** The next update of each topic if it is missing, and since when. */
  private readonly missing = new Map<string, { readonly index: number; readonly since: number }>()

  constructor(
    private readonly ledger: Ledger,
    private readonly prices: NatsPrices,
  ) {}

  /** What is wrong, if anything is. */
  problem(): string | undefined {
    const { open, process, answeredAt, times } = this.ledger
    if (open === undefined) {
      this.missing.clear()
      return undefined
    }
    const silent = process.activeMs - Math.max(answeredAt, open.openedAt)
    if (silent > silenceMs) return `the gateway has not answered for ${silent} ms, and the session is open`
    for (const [base, { isConfirmed, arrivedIndex }] of open.topics) {
      const isExpected = isConfirmed && arrivedIndex >= 0
      const index = isExpected ? this.prices.missingAfterLast(open.socket, base) : undefined
      const before = this.missing.get(base)
      if (index === undefined) this.missing.delete(base)
      // Over a slow network an update may always be on its way, but not the same one.
      else if (before?.index !== index) this.missing.set(base, { index, since: process.activeMs })
      const waited = process.activeMs - (this.missing.get(base)?.since ?? process.activeMs)
      if (waited > missingMs(times))
        return `an update of ${base} is missing for ${waited} ms, and the session is open`
    }
    return undefined
  }
}
