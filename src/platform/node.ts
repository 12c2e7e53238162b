import { importUndici } from '../transport/undici/undici-package.js'
import { undiciTransport } from '../transport/undici/undici-transport.js'
import { importWs } from '../transport/ws/ws-package.js'
import { wsTransport } from '../transport/ws/ws-transport.js'
import { parseCertificates } from './node/certificates.js'
import { addSource, publish } from './node/diagnostics-channels.js'
import { lazyHttpTransport } from './node/lazy/lazy-http-transport.js'
import { lazyWebSocketTransport } from './node/lazy/lazy-web-socket-transport.js'
import { createMac } from './node/mac.js'
import type { Platform } from './platform.js'

/** Node, and the runtimes that are compatible with it. */
export const node: Platform = {
  webSocketTransport: (ca) => lazyWebSocketTransport(async () => wsTransport(await importWs(), ca)),
  httpTransport: (options) => lazyHttpTransport(async () => undiciTransport(await importUndici(), options)),
  createMac,
  parseCertificates,
  publish,
  addSource,
  isPublic: false,
  onWake: () => () => undefined,
}
