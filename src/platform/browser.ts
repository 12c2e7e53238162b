import { ConfigurationError } from '../errors/configuration-error.js'
import { fetchTransport } from '../transport/fetch.js'
import { nativeWebSocketTransport } from '../transport/native-web-socket.js'
import { createMac } from './browser/mac.js'
import { onWake } from './browser/wake.js'
import type { Platform } from './platform.js'

/** A browser, in a page or in a worker. */
export const browser: Platform = {
  webSocketTransport: nativeWebSocketTransport,
  httpTransport: fetchTransport,
  createMac,
  parseCertificates: (option) => {
    throw new ConfigurationError(option, 'is not available in a browser, which has its own certificates')
  },
  publish: () => undefined,
  addSource: () => () => undefined,
  isPublic: true,
  onWake,
}
