import type { Clock } from '../../base/time/clock.js'
import type { NatsLink } from '../connection/nats-link.js'
import type { Subjects } from '../subjects.js'

/** The state that the transports of a client over NATS share. */
export interface ConsumerContext {
  readonly link: NatsLink
  readonly clock: Clock
  readonly subjects: Subjects
  readonly inboxPrefix: string | undefined
  /** An identifier of the client, by which gateways take turns. */
  readonly id: string
  /** The limit from the request to its response, in ms. */
  readonly requestTimeout: number
  /** Lag of a price above which the session ends, in ms. */
  readonly maxLag: number
  readonly followed: FollowedGateway
}

/** The gateway of the open session, for the requests of the same client. */
export class FollowedGateway {
  private readonly listeners = new Set<() => void>()
  /** `undefined` while no session is open. */
  id: string | undefined

  follow(id: string): void {
    this.id = id
  }

  /** The session has ended: requests to this gateway need not wait. */
  lose(id: string): void {
    if (this.id !== id) return
    this.id = undefined
    for (const listener of [...this.listeners]) listener()
  }

  /** Calls back when the gateway is lost. Returns a function that cancels this. */
  onLost(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
}
