import { parseCertificates } from './node/certificates.js'
import { addSource, publish } from './node/diagnostics-channels.js'
import { lazyHttpTransport } from './node/lazy/lazy-http-transport.js'
import { lazyWebSocketTransport } from './node/lazy/lazy-web-socket-transport.js'
import { createMac } from './node/mac.js'
import type { Platform } from './platform.js'

/** Node, and the runtimes that are compatible with it. */
export const node: Platform = {
  webSocketTransport: (ca) =>
    lazyWebSocketTransport(async () => (await import('../transport/ws/ws-transport.js')).wsTransport(ca)),
  httpTransport: (options) =>
    lazyHttpTransport(async () =>
      (await import('../transport/undici/undici-transport.js')).undiciTransport(options),
    ),
  createMac,
  parseCertificates,
  publish,
  addSource,
  isPublic: false,
  onWake: () => () => undefined,
}
