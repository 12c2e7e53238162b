/// <reference lib="esnext.disposable" preserve="true" />
import type { Address } from '../base/domain/topic.js'
import { stopListening } from '../gateway/server/listen.js'
import { closeOnce } from '../base/task/close-once.js'
import { host, listen } from './listen.js'
import { checkValue } from './simulator-error.js'
import { closeCode, FaultInjector, type Faults } from './faults/faults.js'
import { Listings } from './market/listings.js'
import type { Token } from './market/market.js'
import { randomWalk } from './market/random-walk.js'
import type { TokenOptions } from './market/token-options.js'
import { parseSimulatorOptions, type SimulatorOptions } from './options.js'
import { createHttpServer } from './service/http-server.js'
import {
  ReceivedLog,
  type ConnectionView,
  type ReceivedFrame,
  type ReceivedRequest,
  type ServiceContext,
} from './service/service-context.js'
import { SocketServer } from './service/socket-server.js'

/**
 * Starts a simulator of the service on loopback, with real sockets: the signed relayer API, and the price reporter over
 * HTTP and WebSocket. Rejects with a `SimulatorError` if an option is invalid or a port is in use, and with the
 * signal's reason if the signal is aborted.
 *
 * @example
 * const simulator = await startSimulator({ tokens: ['0xab'], seed: 7, tick: 50 })
 * const client = createClient({ environment: 'mainnet', ...simulator })
 */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const setup = parseSimulatorOptions(options)
  const faults = new FaultInjector(setup.faults)
  setup.signal?.throwIfAborted()

  const frames = new ReceivedLog<ReceivedFrame>()
  const requests = new ReceivedLog<ReceivedRequest>()
  const listings = new Listings(setup.market, setup.repeat, (address, price) =>
    sockets.publish(address, price),
  )
  const context: ServiceContext = {
    name: setup.service,
    key: Buffer.from(setup.authKey, 'base64'),
    cors: setup.cors,
    listings,
    requests,
    frames,
    faults,
    now: () => Date.now() + (faults.current.clockOffset ?? 0),
  }
  const sockets = new SocketServer(context)
  const http = createHttpServer(context)

  const { close, closeOnAbort } = closeOnce(async () => {
    listings.close()
    sockets.close()
    await Promise.all([stopListening(http), stopListening(sockets.server)])
  })

  const listenAll = async () => {
    const httpPort = await listen(http, setup.httpPort, 'httpPort')
    const wsPort = await listen(sockets.server, setup.wsPort, 'wsPort')
    setup.signal?.throwIfAborted()
    closeOnAbort(setup.signal)
    return { baseUrl: `http://${host}:${httpPort}`, priceWsUrl: `ws://${host}:${wsPort}` }
  }
  const { baseUrl, priceWsUrl } = await listenAll().catch(async (error: unknown) => {
    await close()
    throw error
  })

  return {
    baseUrl,
    priceBaseUrl: baseUrl,
    priceWsUrl,
    authKey: setup.authKey,
    service: setup.service,
    get tokens() {
      return listings.tokens
    },
    list: (token) => listings.list(randomWalk({ tokens: [token], seed: setup.seed, tick: setup.tick })),
    delist: (address) => listings.delist(address),
    get faults() {
      return faults.current
    },
    inject: (replaced) => faults.inject(replaced),
    dropConnections: (code) => {
      if (code !== undefined) checkValue('code', code, closeCode)
      sockets.drop(code)
    },
    send: (frame) => sockets.send(frame),
    get connections() {
      return sockets.connections
    },
    get upgrades() {
      return sockets.upgrades
    },
    get frames() {
      return frames.entries
    },
    get requests() {
      return requests.entries
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * A running simulator. Its URLs, key and service name are valid options of a client:
 * `createClient({ environment: 'mainnet', ...simulator })`. Properties that change (`connections`, `requests`, …) are
 * getters: a spread copy does not update.
 */
export interface Simulator {
  /** Base URL of the relayer API, `http://127.0.0.1:<port>`. */
  readonly baseUrl: string
  /** Base URL of the price reporter's HTTP endpoint; equal to `baseUrl`. */
  readonly priceBaseUrl: string
  /** URL of the price reporter's WebSocket, `ws://127.0.0.1:<port>`. */
  readonly priceWsUrl: string
  /** Key of the signatures of depth requests, in base64. */
  readonly authKey: string
  /** Name of the service: prefix of topics and of signed headers. */
  readonly service: string

  /** Listed tokens. */
  readonly tokens: readonly Token[]
  /**
   * Lists a token. A delisted token returns with its market; a new token gets a random walk with the simulator's
   * seed and tick. Throws a `SimulatorError` if the token is invalid.
   */
  readonly list: (token: Address | TokenOptions) => void
  /** Delists a token: it becomes unsupported, and subscribers receive no more prices of it. */
  readonly delist: (address: Address) => void

  /** Current faults. */
  readonly faults: Faults
  /** Replaces all faults; `inject({})` removes them. Throws a `SimulatorError` if a fault is invalid. */
  readonly inject: (faults: Faults) => void
  /**
   * Closes all open connections: with a close frame if there is a `code` (1000 to 1014 except 1004 to 1006, or 3000
   * to 4999), otherwise without one, like a network failure. Throws a `SimulatorError` if the code is invalid.
   */
  readonly dropConnections: (code?: number) => void
  /** Sends a raw frame over all open connections, for example an error text that matches no request. */
  readonly send: (frame: string | Uint8Array) => void

  /** Open WebSocket connections, oldest first. */
  readonly connections: readonly ConnectionView[]
  /** Number of WebSocket upgrade requests since the start, including refused ones. */
  readonly upgrades: number
  /** Received frames of all connections, oldest first: the latest 10 000. */
  readonly frames: readonly ReceivedFrame[]
  /** Received HTTP requests except upgrades, oldest first: the latest 10 000. */
  readonly requests: readonly ReceivedRequest[]

  /** Closes all connections and both servers. Resolves when the ports are free and no timer is active. Idempotent. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
