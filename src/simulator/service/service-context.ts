import type { FaultInjector } from '../faults/faults.js'
import type { Listings } from '../market/listings.js'

export interface ServiceContext {
  /** Name of the service: prefix of topics and of signed headers. */
  readonly name: string
  /** Auth key, decoded. */
  readonly key: Uint8Array
  /** True if browsers of any origin are answered. */
  readonly cors: boolean
  readonly listings: Listings
  readonly requests: ReceivedLog<ReceivedRequest>
  readonly frames: ReceivedLog<ReceivedFrame>
  readonly faults: FaultInjector
  /** Clock of the service, in ms since the Unix epoch; off by the `clockOffset` fault. */
  readonly now: () => number
}

/** An HTTP request that the simulator received. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query, byte for byte as sent. */
  readonly path: string
  /** Keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Snapshot of an open WebSocket connection. */
export interface ConnectionView {
  /** Number of the connection, from 1, counted over all connections of the simulator. */
  readonly id: number
  /** Path and query of the upgrade request. */
  readonly path: string
  /** Subscribed topics, spelled as the client spelled them, in the order of their subscriptions. */
  readonly topics: readonly string[]
  /** Number of pings received. */
  readonly pings: number
}

/** A WebSocket frame that the simulator received. */
export interface ReceivedFrame {
  /** `id` of the connection. */
  readonly connection: number
  /** Text of a text frame; hex of a binary frame. */
  readonly text: string
}

/** The latest received requests or frames, oldest first. Bounded, so that a simulator can run for days. */
export class ReceivedLog<A> {
  private readonly latest: A[] = []

  constructor(private readonly limit = 10_000) {}

  /** A copy. */
  get entries(): readonly A[] {
    return this.latest.slice()
  }

  add(entry: A): void {
    this.latest.push(entry)
    if (this.latest.length > this.limit) this.latest.shift()
  }
}
