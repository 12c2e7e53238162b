import type { ClientTimes, Ledger } from './ledger.js'

/** What the network and the event loops take, in ms. */
const slackMs = 2_000

/**
 * The time within which each subscriber receives a price, once all faults have ended: the client detects that the connection
 * is lost or behind, waits for the next dial, which may be one that began before and hangs, subscribes, and waits for the
 * service's next price. `interval`: the mean time between two prices of a topic. In ms.
 */
export const recoveryBound = (times: ClientTimes, interval: number): number => {
  const { pingInterval, pongTimeout, maxLag, maxDelay, connectTimeout, confirmTimeout } = times
  const behind = maxLag === Infinity ? 0 : 2 * maxLag
  const detection = pingInterval + pongTimeout + behind
  return detection + maxDelay + connectTimeout + 3 * confirmTimeout + 1.5 * interval + slackMs
}

/** Until the session with a gateway that is lost has ended, and the next one is open: `docs/operate/many-machines.md`. In ms. */
const nextSessionMs = 8_000

/** The same for a client over NATS, without the time in which its gateway recovers. */
export const natsRecoveryBound = (interval: number): number => nextSessionMs + 1.5 * interval + slackMs

/** Returns the topic that has not recovered within the bound, if there is one. `bound`: in ms. */
export const problemOfRecovery = (ledger: Ledger, bound: number): string | undefined => {
  const { process, subscribers, healthySince } = ledger
  if (process.isDead || process.isStopped || process.activeMs - healthySince <= bound) return undefined
  for (const { topic, joinedAt, lastEvent, lastPriceAt } of subscribers) {
    if (process.activeMs - joinedAt <= bound) continue
    // Slow handlers delay prices by the time that they take: only `maxLag` limits that, and a rule of its own checks it.
    const silentMs = process.activeMs - lastPriceAt
    if (lastEvent !== 'price' || silentMs > bound)
      return `${topic} is not live ${process.activeMs - healthySince} ms after the last fault, more than ${bound} ms`
  }
  return undefined
}
