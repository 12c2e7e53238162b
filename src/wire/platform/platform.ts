import type { CreateMac } from '../auth/sign-request.js'
import type { AddSource } from '../../base/diagnostics/collector.js'
import type { Publish } from '../../base/diagnostics/messages.js'
import type { PriceFrames } from '../codec/fast-path.js'
import type { HttpTransport, HttpTransportOptions, WebSocketTransport } from '../transport/ports.js'

/** The functions that depend on the platform of a client. All other code runs on every platform. */
export interface Platform {
  /** `ca`: PEM certificates to trust. `undefined`: the certificates of the platform. */
  readonly webSocketTransport: (ca: string | undefined) => WebSocketTransport
  readonly httpTransport: (options: HttpTransportOptions) => HttpTransport
  readonly createMac: CreateMac
  /** Validates an option as PEM certificates. Throws a `ConfigurationError`. */
  readonly parseCertificates: (option: string, value: unknown) => string
  readonly publish: Publish
  readonly addSource: AddSource
  /** The fast path of price frames; `undefined` where frames do not arrive as bytes, as in a page. */
  readonly createPriceFrames: CreatePriceFrames | undefined
  /** True if a user of the program can read its options, and so the key. */
  readonly isPublic: boolean
  /**
   * Calls back when connections should be checked: the network has returned, or a page is shown or runs. Returns a stop function.
   */
  readonly onWake: (wake: (event: Wake) => void) => () => void
}

export type CreatePriceFrames = <V>() => PriceFrames<V>

/** Why connections are checked at once. */
export interface Wake {
  /** The network has returned. */
  readonly isOnline: boolean
}
