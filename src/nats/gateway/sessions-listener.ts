import type { GatewayDisconnectCause, Publish } from '../../diagnostics/messages.js'
import type { SentBytes } from './sent-bytes.js'

/** Receives the beginning and the end of each session of a gateway. */
export interface SessionsListener {
  readonly onOpened: () => void
  readonly onEnded: (cause: GatewayDisconnectCause) => void
  /** The gateway has as many sessions as it may have. */
  readonly onRefused: () => void
}

/** The status with which a gateway over WebSockets refuses a consumer when it is full. NATS has no statuses. */
const fullStatus = 503

/** Publishes them on the channels of gateways. `host`: host and port of the first NATS server. */
export const publishSessions = (publish: Publish, host: string, sent: SentBytes): SessionsListener => ({
  onOpened: () => publish('svc-streams:gateway-connected', () => ({ host })),
  // A price is published once for all sessions: no part of it belongs to one of them.
  onEnded: (cause) => {
    const bytes = sent.take()
    publish('svc-streams:gateway-disconnected', () => ({ host, cause, bytes }))
  },
  onRefused: () => publish('svc-streams:gateway-refused', () => ({ host, status: fullStatus })),
})
