import { Server as TlsServer } from 'node:https'
import type { Server, Socket } from 'node:net'
import { isLeft } from 'fp-ts/lib/Either.js'
import { noop, type Subscription } from 'rxjs'
import { decodeKey, type Mac } from '../wire/auth/sign-request.js'
import { checkClient } from '../client/options.js'
import type { PriceClient } from '../client/client.js'
import { hostWithPort } from '../base/domain/endpoint.js'
import type { Topic } from '../base/domain/topic.js'
import { node } from '../wire/platform/node.js'
import { stopListening } from './server/listen.js'
import { readInTurns } from './server/consumer-input.js'
import { Intake } from './server/intake.js'
import { reporterOf } from './server/report.js'
import { closeOnce } from '../base/task/close-once.js'
import { currentClock } from '../base/time/clock.js'
import { delay } from '../base/time/timers.js'
import { addressesOf } from './http/addresses.js'
import { AccessTokens, checkAccess, tokenOf, type AccessConfig } from './http/access.js'
import type { Gateway } from './gateway.js'
import { openGatewayHistory } from './history/gateway-history.js'
import { historyResponses } from './history/history-responses.js'
import {
  createHttpServer,
  httpLimits,
  listen,
  parsePem,
  serveAsRequest,
  type HttpLimits,
} from './http/http-server.js'
import { createRequestHandler, type Pages } from './http/request-handler.js'
import { parseGatewayOptions, type GatewayOptions } from './options.js'
import { isWebSocketUpgrade, Upgrades, type Streams } from './websocket/upgrade.js'
import { WebSocketFront } from './websocket/web-socket-front.js'
import { createRelays } from './coalescing/relays.js'

/** Settings that only the library itself uses. */
export interface GatewayInternals {
  /** Additional pages. Default: none. */
  readonly pages?: Pages
  /** Additional WebSockets. Default: none. */
  readonly streams$?: Streams
  /** Called with each topic that a consumer wants, unless the gateway has a history. Ends when no consumer wants it. */
  readonly record?: (topic: Topic) => Subscription
  readonly limits?: Partial<HttpLimits>
}

export interface RunningGateway {
  readonly gateway: Gateway
  /** Refuses further consumers, and ends the open connections within `ms`. Resolves when none is open, or after `ms`. */
  readonly drain: (ms: number) => Promise<void>
  /** Ends the WebSockets whose token is gone, and no other. Throws a `ConfigurationError`, and changes nothing, if one is invalid. */
  readonly replace: (secrets: Pick<GatewayOptions, 'keys' | 'access' | 'tls'>) => void
}

/** Time in which consumers may complete the closing handshake of their WebSockets, in ms. */
const closeTimeout = 1_000

/** The `startGateway` for the library itself, with further pages and other limits. */
export const runGateway = async (
  client: PriceClient,
  options: GatewayOptions,
  { pages = () => undefined, streams$ = () => undefined, record, limits }: GatewayInternals = {},
): Promise<RunningGateway> => {
  checkClient(client)
  const checked = parseGatewayOptions(options)
  const { keys, tls: pem, origins, symbols, history: historySetup, ...setup } = checked
  const { service, host, signal } = setup
  const tls = pem === undefined ? undefined : parsePem(pem)
  let secrets = secretsOf(checked)
  signal?.throwIfAborted()
  const clock = currentClock()
  const scheme = tls === undefined ? 'http' : 'https'
  const access: AccessConfig = { host, scheme, origins: new Set(origins) }
  let ownHost = ''
  const report = reporterOf(node.publish, () => ownHost)
  const history =
    historySetup && (await openGatewayHistory({ ...historySetup, client, clock, report, service }))
  const prices = new WebSocketFront(client, {
    ...setup,
    clock,
    report,
    record: history?.recorder.record ?? record,
  })
  const relays = createRelays(client, { ...setup, clock, report })
  const handleRequest = createRequestHandler({
    access,
    service,
    relays,
    health: () => ({ ...prices.health(), history: history?.recorder.snapshot() }),
    signatures: () => secrets.macs && { service, macs: secrets.macs },
    accessTokens: () => secrets.tokens,
    tokens: symbols,
    pages,
    history: history && historyResponses(history, { service, clock }),
    now: clock.wallClock,
  })
  const limited = { ...setup, clock, intake: new Intake(clock) }
  const server = createHttpServer({ ...httpLimits(setup.maxConnections), ...limits }, tls)
  const inputOf = readInTurns(server, limited, handleRequest)
  const sockets = trackSockets(server)
  const upgrades = new Upgrades(prices, { ...limited, report, inputOf, streams$ })
  server.on('upgrade', (request, socket: Socket, head) => {
    inputOf(socket).hold()
    if (!isWebSocketUpgrade(request)) return serveAsRequest(server, request, socket, head)
    // A function of its own would keep the request as long as the socket.
    socket.on('error', noop)
    limited.intake.add(() => {
      const allowed = checkAccess(request, access)
      const token = isLeft(allowed) ? allowed : tokenOf(request, secrets.tokens)
      if (isLeft(token)) upgrades.refuse(socket, token.left.status, token.left.body)
      else upgrades.accept(request, socket, head, token.right)
    })
  })

  let removeSource = (): void => undefined
  const { close, closeOnAbort } = closeOnce(async () => {
    const closed = prices.close()
    relays.close()
    history?.recorder.close()
    // Upgraded sockets, and those whose TLS handshake is not complete, are not connections of the HTTP server.
    const timer = delay(clock, closeTimeout, () => sockets.forEach((socket) => socket.destroy()))
    await Promise.all([stopListening(server), closed])
    timer.unsubscribe()
    // The bytes of a connection are those of the source until it has ended.
    removeSource()
  })

  const port = await listen(server, setup).catch(async (error: unknown) => {
    await close()
    throw error
  })
  closeOnAbort(signal)

  const addresses = addressesOf(host, port, tls !== undefined)
  ownHost = hostWithPort(new URL(addresses.baseUrl))
  removeSource = node.addSource((collector) => collector.gateway({ host: ownHost, ...prices.load() }))

  const gateway: Gateway = {
    ...addresses,
    unsigned: keys === undefined,
    service,
    inspect: () => ({ ...prices.inspect(), history: history?.recorder.snapshot() }),
    close,
    [Symbol.asyncDispose]: close,
  }
  const replace: RunningGateway['replace'] = (changed) => {
    const replaced = secretsOf(parseGatewayOptions({ ...options, ...changed }))
    const pair = changed.tls && parsePem(changed.tls)
    secrets = replaced
    if (pair !== undefined && server instanceof TlsServer) server.setSecureContext(pair)
    const { tokens } = secrets
    if (tokens !== undefined) upgrades.endWithout((token) => token !== undefined && tokens.has(token))
  }
  return { gateway, drain: (ms) => prices.drain(ms), replace }
}

/** Throws a `ConfigurationError` if a key is invalid. */
const secretsOf = ({ keys, access }: ReturnType<typeof parseGatewayOptions>) => ({
  macs: keys && Object.entries(keys).map(macOf),
  tokens: access && new AccessTokens(access),
})

/** The error has the name, or the position if the name may be a key: keys are longer than names. */
const macOf = ([name, key]: readonly [string, string], index: number): Mac => {
  const isName = name !== '' && name.length <= 20
  const decoded = decodeKey(key, `keys.${isName ? name : index + 1}`)
  if (isLeft(decoded)) throw decoded.left
  return node.createMac(decoded.right)
}

/** The open sockets of a server, including upgraded sockets. */
const trackSockets = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    // The event comes again after the offer of another protocol.
    if (sockets.has(socket)) return
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}
