/// <reference lib="esnext.disposable" preserve="true" />
import type { Address } from '../domain/address.js'
import type { Faults } from './faults/faults.js'
import type { Token } from './market/market.js'
import type { TokenOptions } from './market/token-options.js'
import type { ReceivedFrame, ReceivedRequest } from './service/received-log.js'
import type { ConnectionView } from './service/connection-view.js'

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
  /** Key that depth requests must be signed with, base64. */
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
