import type { Clock } from '../../time/clock.js'
import type { NatsLink } from '../connection/nats-link.js'
import type { Subjects } from '../subjects.js'
import type { FollowedGateway } from './followed-gateway.js'

/** What the transports of a client over NATS share. */
export interface ConsumerContext {
  readonly link: NatsLink
  readonly clock: Clock
  readonly subjects: Subjects
  readonly inboxPrefix: string | undefined
  /** An identifier of the client, by which gateways take turns. */
  readonly id: string
  /** The limit from the request to its response, in ms. */
  readonly requestTimeout: number
  /** Prices that are further behind end the session, in ms. */
  readonly maxLag: number
  readonly followed: FollowedGateway
}
