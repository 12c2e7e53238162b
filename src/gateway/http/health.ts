import { isLeft } from 'fp-ts/lib/Either.js'
import type { ConnectionStatus } from '../../base/domain/snapshot.js'
import { currentClock } from '../../base/time/clock.js'
import {
  jsonResponse,
  notFound,
  optionsResponse,
  otherMethodResponse,
  type TextResponse,
} from '../server/http-response.js'
import { readInTurns } from '../server/consumer-input.js'
import { Intake } from '../server/intake.js'
import { stopListening, type ListenAddress } from '../server/listen.js'
import { withoutQuery } from '../server/request.js'
import type { GatewayHistorySnapshot } from '../gateway.js'
import { checkAccess } from './access.js'
import { addressesOf } from './addresses.js'
import { createHttpServer, httpLimits, listen, writeGatewayResponse } from './http-server.js'

export interface HealthState {
  /** False while the connection to the service is down, or a NATS server refuses the messages of the gateway. */
  readonly isUp: boolean
  /** Why a further consumer would be refused, in one word; `undefined` if it would be accepted. */
  readonly refusal: string | undefined
  /** State of the connection to the service. */
  readonly upstream: ConnectionStatus
  /** False if the age of prices has no upper bound, because the service answers no probes. */
  readonly ageBounded: boolean
  /** The load of the gateway: numbers by name. */
  readonly counts: Readonly<Record<string, number>>
  /** Default: the gateway has no history. */
  readonly history?: GatewayHistorySnapshot | undefined
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

/** 200 if a further consumer is accepted, otherwise 503 with the reason. */
const readyResponse = ({ refusal }: HealthState): TextResponse =>
  refusal === undefined
    ? jsonResponse(200, '{"status":"ready"}')
    : jsonResponse(503, JSON.stringify({ status: 'not ready', reason: refusal }))

/** Omits the texts of the service and the folder, which may contain an address or a path. */
const healthResponse = (state: HealthState): TextResponse => {
  const { isUp, refusal, upstream, ageBounded, counts, history } = state
  const health = {
    status: isUp ? 'up' : 'down',
    reason: isUp ? undefined : refusal,
    upstream: upstream._tag,
    ageBounded,
    ...counts,
    history: history && historyHealth(history),
  }
  return jsonResponse(isUp ? 200 : 503, JSON.stringify(health))
}

const historyHealth = ({ rows, bytes, failure }: GatewayHistorySnapshot) => ({
  status: failure === undefined ? 'up' : 'down',
  rows,
  bytes,
  error: failure?.code,
  since: failure?.since,
})

export interface StateServer extends AsyncDisposable {
  readonly baseUrl: string
}

/** Serves the state of a gateway, such as its health, at a port of its own. Rejects with a `GatewayError`. */
export const startStateServer = async (
  address: ListenAddress,
  pageOf: (path: string) => TextResponse | undefined,
): Promise<StateServer> => {
  const server = createHttpServer(httpLimits(0), undefined)
  const clock = currentClock()
  const input = { clock, intake: new Intake(clock), maxMessagesPerSecond: 1000, maxNewTopicsPerSecond: 1 }
  const access = { host: address.host, scheme: 'http', origins: new Set<string>() } as const
  readInTurns(server, input, (request, response) => {
    const { method, url = '' } = request
    const allowed = checkAccess(request, access)
    if (isLeft(allowed)) return writeGatewayResponse(response, allowed.left)
    const page = pageOf(withoutQuery(url))
    if (method === 'OPTIONS') return writeGatewayResponse(response, optionsResponse(page))
    writeGatewayResponse(response, page === undefined ? notFound : (otherMethodResponse(method) ?? page))
  })
  const { baseUrl } = addressesOf(address.host, await listen(server, address), false)
  return { baseUrl, [Symbol.asyncDispose]: () => stopListening(server) }
}
