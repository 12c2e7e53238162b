import type { HttpTransport, WebSocketTransport } from '../transport/ports.js'
import type { UndiciOptions } from '../transport/undici/undici-transport.js'
import { lazyHttpTransport } from './lazy/lazy-http-transport.js'
import { lazyWebSocketTransport } from './lazy/lazy-web-socket-transport.js'

/** The transports of a platform. */
export interface Platform {
  /** `ca`: PEM certificates to trust; default: the platform's certificates. */
  readonly webSocketTransport: (ca: string | undefined) => WebSocketTransport
  readonly httpTransport: (options: UndiciOptions) => HttpTransport
}

export const node: Platform = {
  webSocketTransport: (ca) =>
    lazyWebSocketTransport(async () => (await import('../transport/ws/ws-transport.js')).wsTransport(ca)),
  httpTransport: (options) =>
    lazyHttpTransport(async () =>
      (await import('../transport/undici/undici-transport.js')).undiciTransport(options),
    ),
}
