/// <reference lib="esnext.disposable" preserve="true" />
import type { Address } from '../domain/address.js'
import type { Faults } from './faults/faults.js'
import type { Token } from './market/market.js'
import type { TokenOptions } from './market/token.js'
import type { ConnectionView, ReceivedFrame, ReceivedRequest } from './service/received.js'

/**
 * A running simulator. Its addresses, its key and its name are a client's options as they are:
 * `createClient({ environment: 'mainnet', ...simulator })`. What changes while it runs (`connections`, `requests`, …)
 * is to be read from the simulator itself: a copy keeps what it was.
 */
export interface Simulator {
  /** The relayer API's address, `http://127.0.0.1:<port>`. */
  readonly baseUrl: string
  /** The price reporter's HTTP address; the same as `baseUrl`. */
  readonly priceBaseUrl: string
  /** The price reporter's WebSocket address, `ws://127.0.0.1:<port>`. */
  readonly priceWsUrl: string
  /** The key that depth requests must be signed with, base64. */
  readonly authKey: string
  /** The service's name. */
  readonly service: string

  /** The tokens that are listed now. */
  readonly tokens: readonly Token[]
  /**
   * Lists a token: one that was delisted comes back as it was, a new one walks at random, with the simulator's seed
   * and tick. Throws a `SimulatorError` where it is none.
   */
  readonly list: (token: Address | TokenOptions) => void
  /** Ends the support of a token. Those who are subscribed hear no more of it. */
  readonly delist: (address: Address) => void

  /** The faults of this moment. */
  readonly faults: Faults
  /** Replaces all faults; `inject({})` mends everything. Throws a `SimulatorError` where one is not as it must be. */
  readonly inject: (faults: Faults) => void
  /**
   * Ends all open connections: with a close frame where there is a `code` (1000 to 1014 but 1004 to 1006, or 3000
   * to 4999), and else without one, as a network would.
   */
  readonly dropConnections: (code?: number) => void
  /** Sends a frame as it is over all open connections, such as an error text that nobody asked for. */
  readonly send: (frame: string | Uint8Array) => void

  /** The WebSocket connections that are open now, in the order in which they came. */
  readonly connections: readonly ConnectionView[]
  /** How many WebSocket upgrades were asked for since the start, refused ones included. */
  readonly upgrades: number
  /** The frames received over all connections, in order: the latest 10 000. */
  readonly frames: readonly ReceivedFrame[]
  /** The HTTP requests received, in order, upgrades not included: the latest 10 000. */
  readonly requests: readonly ReceivedRequest[]

  /** Ends everything. Resolves when the ports are free; nothing keeps the process alive then. Idempotent. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
