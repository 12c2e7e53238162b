import type { CanonicalHeaders } from '../auth/signed-headers.js'
import type { Environment } from '../domain/environment.js'
import type { Signal } from '../domain/signal.js'
import type { HttpTransport, WebSocketTransport } from '../transport/ports.js'

/**
 * What a client is made of. An option that is left out has its default; one that is given as `undefined` is a
 * mistake and throws, as does every value outside what its comment says.
 */
export interface ClientOptions {
  /** The environment (section 1 of the service's documentation). Depth exists on `mainnet` alone. */
  readonly environment: Environment
  /** The price reporter's HTTP address, `https:` or `http:`. A path and a query in it are kept. */
  readonly priceBaseUrl: string | undefined
  /** The price reporter's WebSocket address. Default: `priceBaseUrl` as `wss:` or `ws:` on port 4000. */
  readonly priceWsUrl?: string | undefined
  /** The relayer API's address; needed for depth. A path in it is sent, and signed, as it stands. */
  readonly baseUrl?: string | undefined
  /** The auth key in base64, standard or url-safe, padded or not; needed for depth. */
  readonly authKey?: string | undefined
  /** The service's name: prefix of topics and of signed headers. Default: `svc`. */
  readonly service?: string
  /** Allows `http:` and `ws:` to other machines although a key is set. Default: `false`. */
  readonly allowInsecure?: boolean
  /** PEM certificates of the authorities to trust, one or several, as a text or as a file's bytes. Default: Node's own. */
  readonly ca?: string | Uint8Array
  /** Closes the client when it aborts. */
  readonly signal?: Signal

  /** How long a topic that everybody left stays subscribed, in ms. Default: 1000. */
  readonly linger?: number
  /** How long a confirmed topic may be silent before it is `Stale`, in ms. Default: 30 000. */
  readonly staleAfter?: number
  /** How long a subscribe may go unanswered before `SubscriptionTimeout`, in ms. Default: 10 000. */
  readonly confirmTimeout?: number
  /** How long a WebSocket may take to open, and an HTTP connection to be made, in ms. Default: 10 000. */
  readonly connectTimeout?: number
  /** The time between pings, in ms. Default: 15 000. */
  readonly pingInterval?: number
  /**
   * How long there may be no sign of life after a ping before the socket is replaced, in ms; at most
   * `pingInterval`. Default: 10 000, or `pingInterval` where that is less.
   */
  readonly pongTimeout?: number
  /** How reconnecting, and polling after failures, waits. */
  readonly reconnect?: ReconnectOptions
  /** The longest time for an HTTP request and its whole answer, in ms. Default: 5000. */
  readonly requestTimeout?: number
  /** How long a request's signature is good for, in ms. Default: 10 000. */
  readonly authExpiration?: number
  /** How the signed headers become bytes. Default: lower-cased name and value, with nothing in between. */
  readonly canonicalHeaders?: CanonicalHeaders
  /** Topics on one WebSocket; more open another. Default: `Infinity`, no limit. */
  readonly maxTopicsPerConnection?: number
  /**
   * Subscribe and unsubscribe frames that go out in any one second, over all connections of the client together;
   * more wait their turn, and a topic that is left while it waits is never asked for. Default: `Infinity`, no limit.
   */
  readonly maxFramesPerSecond?: number
  /** The longest frame that is taken, in bytes. Default: 1 MiB. */
  readonly maxFrameBytes?: number
  /** The longest HTTP body that is taken, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number
  /** Another WebSocket transport. It belongs to this client, which closes it. Default: `ws`. */
  readonly webSocket?: WebSocketTransport
  /** Another HTTP transport. It belongs to this client, which closes it. Default: `undici`. */
  readonly http?: HttpTransport
}

export interface ReconnectOptions {
  /** The ceiling of the first wait, in ms. Every wait is drawn between 0 and its ceiling. Default: 250. */
  readonly initialDelay?: number
  /** The ceiling that doubling stops at, in ms. Default: 30 000. */
  readonly maxDelay?: number
  /** How long a connection must stay up for the waits to start over, in ms. Default: 5000. */
  readonly stableAfter?: number
}

/** The options with which depth exists. */
export interface DepthClientOptions extends ClientOptions {
  readonly environment: 'mainnet'
  readonly baseUrl: string | undefined
  readonly authKey: string | undefined
}
