import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import { fetchTransport } from '../../transport/fetch.js'
import { nativeWebSocketTransport } from '../../transport/native-web-socket.js'
import type { Platform } from '../platform.js'

/** The events of a page or a worker that are used here. The types of Node have none. */
interface Page {
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
  /** Absent in a worker. */
  readonly document?: Omit<Page, 'document'> & { readonly visibilityState: string }
}

/** Also called when a page returns from the back-forward cache, or when its tab runs again after a freeze. */
const onWake: Platform['onWake'] = (wake) => {
  const page = globalThis as unknown as Page
  const { document } = page
  const onShow = (): void => wake({ isOnline: false })
  const onVisibility = (): void => {
    if (document?.visibilityState === 'visible') onShow()
  }
  const stops = [
    listen(page, 'online', () => wake({ isOnline: true })),
    listen(page, 'pageshow', onShow),
    listen(document, 'visibilitychange', onVisibility),
    listen(document, 'resume', onShow),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

const listen = (
  target: Omit<Page, 'document'> | undefined,
  type: string,
  listener: () => void,
): (() => void) => {
  target?.addEventListener(type, listener)
  return () => target?.removeEventListener(type, listener)
}

/** A browser that signs no requests: a page that gets depth from a gateway needs no MAC. */
export const unsignedBrowser: Platform = {
  webSocketTransport: nativeWebSocketTransport,
  httpTransport: fetchTransport,
  createMac: () => {
    throw new ConfigurationError('authKey', 'is not available here: this page signs no requests')
  },
  parseCertificates: (option) => {
    throw new ConfigurationError(option, 'is not available in a browser, which has its own certificates')
  },
  publish: () => undefined,
  addSource: () => () => undefined,
  createPriceFrames: undefined,
  isPublic: true,
  onWake,
}
