import { causeOf } from '../../../errors/failure-cause.js'
import {
  noCloseFrame,
  type DialOptions,
  type Socket,
  type SocketListener,
  type WebSocketTransport,
} from '../../../transport/ports.js'
import { LazyTransport } from './lazy-transport.js'

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
      const socket = new LoadingSocket()
      void socket.dial(lazy, url, options, listener)
      return socket
    },
    close: () => lazy.close(),
  }
}

/** A socket that is dialled once its transport is loaded. */
class LoadingSocket implements Socket {
  private socket: Socket | undefined
  private isEnded = false

  get bufferedAmount(): number {
    return this.socket?.bufferedAmount ?? 0
  }

  async dial(
    lazy: LazyTransport<WebSocketTransport>,
    url: string,
    options: DialOptions,
    listener: SocketListener,
  ): Promise<void> {
    let reason = 'closed before it was dialled'
    try {
      const transport = await lazy.load()
      if (!this.isEnded) {
        this.socket = transport.dial(url, options, listener)
        return
      }
    } catch (thrown) {
      reason = causeOf(thrown).message
    }
    listener.closed(noCloseFrame, reason)
  }

  send(frame: string): void {
    this.socket?.send(frame)
  }

  ping(payload: string): void {
    this.socket?.ping?.(payload)
  }

  close(): void {
    this.isEnded = true
    this.socket?.close()
  }

  terminate(): void {
    this.isEnded = true
    this.socket?.terminate()
  }
}
