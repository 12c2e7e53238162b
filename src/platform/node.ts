import type { HttpTransport, WebSocketTransport } from '../transport/ports.js'
import { undiciTransport, type UndiciOptions } from '../transport/undici/undici-transport.js'
import { wsTransport } from '../transport/ws/ws-transport.js'

/** The transports of a platform. */
export interface Platform {
  /** `ca`: PEM certificates to trust; default: the platform's certificates. */
  readonly webSocketTransport: (ca: string | undefined) => WebSocketTransport
  readonly httpTransport: (options: UndiciOptions) => HttpTransport
}

export const node: Platform = { webSocketTransport: wsTransport, httpTransport: undiciTransport }
