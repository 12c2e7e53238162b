import type { ConnectionStatus } from '../../domain/status.js'
import { jsonResponse, type TextResponse } from '../../server/http-response.js'

/** What the health of a gateway depends on. */
export interface HealthState {
  /** False while the connection to the service is down. */
  readonly isUp: boolean
  /** Why a further consumer would not be served, in one word; `undefined` if it would. */
  readonly refusal: string | undefined
  /** State of the connection to the service. */
  readonly upstream: ConnectionStatus
  /** What the gateway serves: numbers by name. */
  readonly counts: Readonly<Record<string, number>>
}

/** The health of a gateway, by path; `undefined` for other paths. */
export const healthOf = (path: string, state: () => HealthState): TextResponse | undefined => {
  switch (path) {
    case '/health':
      return healthResponse(state())
    case '/health/live':
      return jsonResponse(200, '{"status":"up"}')
    case '/health/ready':
      return readyResponse(state())
    default:
      return undefined
  }
}

/** 200 if a further consumer is served, otherwise 503 with the reason. */
const readyResponse = ({ refusal }: HealthState): TextResponse =>
  refusal === undefined
    ? jsonResponse(200, '{"status":"ready"}')
    : jsonResponse(503, JSON.stringify({ status: 'not ready', reason: refusal }))

/** 200 if the connection to the service is usable, otherwise 503. The reason is left out: it may contain an address. */
const healthResponse = ({ isUp, upstream, counts }: HealthState): TextResponse =>
  jsonResponse(
    isUp ? 200 : 503,
    JSON.stringify({ status: isUp ? 'up' : 'down', upstream: upstream._tag, ...counts }),
  )
