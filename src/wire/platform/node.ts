import { X509Certificate, createHmac, createSecretKey } from 'node:crypto'
import { left } from 'fp-ts/lib/Either.js'
import type { CreateMac } from '../auth/sign-request.js'
import { PriceFrames } from '../codec/fast-path.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { networkError } from '../../base/errors/constructors.js'
import type { HttpTransport } from '../transport/ports.js'
import { importUndici } from '../transport/undici-package.js'
import { undiciTransport } from '../transport/undici-transport.js'
import { wsTransport } from '../transport/ws/ws-transport.js'
import { addSource, publish } from './node/diagnostics.js'
import type { Platform } from './platform.js'

/** Validates an option as PEM certificates, because TLS silently ignores any other text. Throws a `ConfigurationError`. */
const parseCertificates: Platform['parseCertificates'] = (option, value) => {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value
  const certificates = typeof text === 'string' ? (text.match(certificatePattern) ?? []) : []
  if (typeof text === 'string' && certificates.length > 0 && certificates.every(isCertificate)) return text
  throw new ConfigurationError(option, 'expected PEM certificates, as a string or bytes')
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

const createMac: CreateMac = (key) => {
  const secret = createSecretKey(key)
  return (input) => {
    const mac = createHmac('sha256', secret)
    for (const piece of input) mac.update(piece)
    return mac.digest('base64').replace('=', '')
  }
}

/** Node, and the runtimes that are compatible with it. */
export const node: Platform = {
  webSocketTransport: wsTransport,
  httpTransport: (options) => lazyHttpTransport(async () => undiciTransport(await importUndici(), options)),
  createMac,
  parseCertificates,
  publish,
  addSource,
  createPriceFrames: () => new PriceFrames(),
  isPublic: false,
  onWake: () => () => undefined,
}

/**
 * An HTTP transport that is loaded by its first request, because `undici` takes most of the start-up time. A request that is
 * aborted during the load is not sent. If the load fails, each request that waits for it fails with a `NetworkError`. The
 * loaded transport calls `onSent`.
 */
export const lazyHttpTransport = (importTransport: () => Promise<HttpTransport>): HttpTransport => {
  let loaded: HttpTransport | undefined
  let isClosed = false
  const load = loadOnce(async () => {
    const transport = isClosed ? undefined : await importTransport()
    if (isClosed || transport === undefined) throw new Error('the transport is closed')
    return (loaded = transport)
  })

  return {
    get: (request, onResult, onSent) => {
      if (loaded !== undefined) return loaded.get(request, onResult, onSent)
      let abort: (() => void) | undefined
      let isAborted = false
      const send = (transport: HttpTransport): void => {
        if (isAborted) throw new DOMException('the request was aborted', 'AbortError')
        abort = transport.get(request, onResult, onSent)
      }
      void load()
        .then(send)
        .catch((failure: unknown) => onResult(left(networkError(failure))))
      return () => {
        isAborted = true
        abort?.()
      }
    },
    /** Resolves when no load is in progress, and all connections are closed. */
    close: async () => {
      isClosed = true
      await load().catch(() => undefined)
      await loaded?.close()
    },
  }
}

/** A load that the first call starts, for all calls. After a failure, the next call starts it again. */
const loadOnce = <A>(start: () => Promise<A>): (() => Promise<A>) => {
  let loading: Promise<A> | undefined
  return () =>
    (loading ??= start().catch((failure: unknown) => {
      loading = undefined
      throw failure
    }))
}
