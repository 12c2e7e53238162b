import { X509Certificate, createHmac, createSecretKey } from 'node:crypto'
import { left } from 'fp-ts/lib/Either.js'
import type { CreateMac } from '../auth/mac.js'
import { PriceFrames } from '../codec/fast-path/price-frames.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { networkError } from '../../base/errors/constructors.js'
import { causeOf } from '../../base/errors/failure-cause.js'
import {
  noCloseFrame,
  type InternalHttpTransport,
  type Socket,
  type WebSocketTransport,
} from '../transport/ports.js'
import { importUndici, importWsModules } from '../transport/packages.js'
import { undiciTransport } from '../transport/undici/undici-transport.js'
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
  webSocketTransport: (ca) => lazyWebSocketTransport(async () => wsTransport(await importWsModules(), ca)),
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
 * An HTTP transport that is loaded by its first request. A request that is aborted during the load is not sent. If the
 * load fails, each request that waits for it fails with a `NetworkError`. The loaded transport calls `onSent`.
 */
export const lazyHttpTransport = (
  importTransport: () => Promise<InternalHttpTransport>,
): InternalHttpTransport => {
  const lazy = new LazyTransport(importTransport)
  return {
    callsOnSent: true,
    get: (request, onResult) => {
      if (lazy.loaded !== undefined) return lazy.loaded.get(request, onResult)
      let abort: (() => void) | undefined
      let isAborted = false
      const send = (transport: InternalHttpTransport): void => {
        if (isAborted) throw new DOMException('the request was aborted', 'AbortError')
        abort = transport.get(request, onResult)
      }
      lazy.use(send, (failure) => onResult(left(networkError(failure))))
      return () => {
        isAborted = true
        abort?.()
      }
    },
    close: () => lazy.close(),
  }
}

/**
 * A WebSocket transport that is loaded by its first dial. A socket that is closed during the load is not dialled. If the
 * load fails, each dial that waits for it fails.
 */
export const lazyWebSocketTransport = (
  importTransport: () => Promise<WebSocketTransport>,
): WebSocketTransport => {
  const lazy = new LazyTransport(importTransport)
  return {
    dial(url, options, listener) {
      if (lazy.loaded !== undefined) return lazy.loaded.dial(url, options, listener)
      let socket: Socket | undefined
      let isClosed = false
      const dial = (transport: WebSocketTransport): void => {
        if (isClosed) throw new Error('closed before it was dialled')
        socket = transport.dial(url, options, listener)
      }
      const end = (how: 'close' | 'terminate') => (): void => {
        isClosed = true
        socket?.[how]()
      }
      lazy.use(dial, (failure) => listener.closed(noCloseFrame, causeOf(failure).message))
      return {
        get bufferedAmount() {
          return socket?.bufferedAmount ?? 0
        },
        send: (frame) => socket?.send(frame),
        ping: (payload) => socket?.ping?.(payload),
        close: end('close'),
        terminate: end('terminate'),
      }
    },
    close: () => lazy.close(),
  }
}

/** A transport that is loaded when it is first needed, because the packages below it take most of the start-up time. */
class LazyTransport<T extends { close(): Promise<void> }> {
  /** The transport, once it has been loaded. */
  loaded: T | undefined
  private loading: Promise<T> | undefined
  private isClosed = false

  constructor(private readonly importTransport: () => Promise<T>) {}

  /** Calls `begin` with the transport once it is loaded. Calls `fail` if it cannot be loaded, or `begin` throws. */
  use(begin: (transport: T) => void, fail: (failure: unknown) => void): void {
    this.loading ??= this.load()
    void this.loading.then(begin).catch(fail)
  }

  /** Resolves when no load is in progress, and all connections are closed. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.loading?.catch(() => undefined)
    await this.loaded?.close()
  }

  /** After a failure, the next use loads again. */
  private async load(): Promise<T> {
    try {
      const transport = this.isClosed ? undefined : await this.importTransport()
      if (this.isClosed || transport === undefined) throw new Error('the transport is closed')
      this.loaded = transport
      return transport
    } catch (thrown) {
      this.loading = undefined
      throw thrown
    }
  }
}
