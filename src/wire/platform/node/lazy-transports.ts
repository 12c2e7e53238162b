import { left } from 'fp-ts/lib/Either.js'
import { networkError } from '../../../base/errors/constructors.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import {
  noCloseFrame,
  type InternalHttpTransport,
  type Socket,
  type WebSocketTransport,
} from '../../transport/ports.js'

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
      const pending = lazy.start(
        (transport) => transport.get(request, onResult),
        (failure) => onResult(left(networkError(failure))),
      )
      return () => pending.end(new DOMException('the request was aborted', 'AbortError'))?.()
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
      const pending = lazy.start(
        (transport) => transport.dial(url, options, listener),
        (failure) => listener.closed(noCloseFrame, causeOf(failure).message),
      )
      return socketOf(pending)
    },
    close: () => lazy.close(),
  }
}

const socketOf = (pending: Pending<Socket>): Socket => {
  const end = (): Socket | undefined => pending.end(new Error('closed before it was dialled'))
  return {
    get bufferedAmount() {
      return pending.started?.bufferedAmount ?? 0
    },
    send: (frame) => pending.started?.send(frame),
    ping: (payload) => pending.started?.ping?.(payload),
    close: () => end()?.close(),
    terminate: () => end()?.terminate(),
  }
}

/** A request or a socket that starts once its transport is loaded, unless it is ended before. */
class Pending<A> {
  started: A | undefined
  endReason: Error | undefined

  /** Returns what has started; without it, nothing starts, and `reason` is the failure. */
  end(reason: Error): A | undefined {
    this.endReason = reason
    return this.started
  }
}

/** A transport that is loaded when it is first needed, because the packages below it take most of the start-up time. */
class LazyTransport<T extends { close(): Promise<void> }> {
  /** The transport, once it has been loaded. */
  loaded: T | undefined
  private loading: Promise<T> | undefined
  private isClosed = false

  constructor(private readonly importTransport: () => Promise<T>) {}

  /** Calls `begin` with the transport once it is loaded, or `fail` once. */
  start<A>(begin: (transport: T) => A, fail: (failure: unknown) => void): Pending<A> {
    const pending = new Pending<A>()
    const started = this.load().then((transport) => {
      if (pending.endReason !== undefined) throw pending.endReason
      pending.started = begin(transport)
    })
    void started.catch(fail)
    return pending
  }

  /** Resolves when no load is in progress, and all connections are closed. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.loading?.catch(() => undefined)
    await this.loaded?.close()
  }

  /** Rejects if the transport cannot be loaded, after which the next call tries again, and after `close`. */
  private load(): Promise<T> {
    if (this.isClosed) return Promise.reject(closedError())
    this.loading ??= this.importOnce()
    return this.loading
  }

  private async importOnce(): Promise<T> {
    try {
      const transport = await this.importTransport()
      if (this.isClosed) throw closedError()
      this.loaded = transport
      return transport
    } catch (thrown) {
      this.loading = undefined
      throw thrown
    }
  }
}

const closedError = (): Error => new Error('the transport is closed')
