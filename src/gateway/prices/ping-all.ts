import { interval, type Subscription } from 'rxjs'

/** A connection that is pinged. */
export interface Pinged {
  /** Sends a ping, or ends the connection if this many are not answered. */
  readonly ping: (maxUnanswered: number) => void
}

/** The interval between the pings to each consumer, in ms. */
const pingInterval = 15_000

/** Two, because pongs are read late after the gateway's own event loop was blocked. A dead consumer is ended after 45 s. */
const maxUnansweredPings = 2

/** Pings all connections at an interval, until unsubscribed. */
export const pingAll = (connections: Iterable<Pinged>): Subscription =>
  interval(pingInterval).subscribe(() => {
    for (const connection of [...connections]) connection.ping(maxUnansweredPings)
  })
