import { delay } from '../../base/time/timers.js'
import { systemClock } from '../../base/time/clock.js'
import {
  messageTooBig,
  noCloseFrame,
  type Socket,
  type SocketListener,
  type WebSocketTransport,
} from './ports.js'

/** The part of the browser's `WebSocket` that is used here. The types of Node have none. */
interface NativeSocket {
  readonly readyState: number
  readonly bufferedAmount: number
  binaryType: string
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: string | ArrayBuffer }) => void) | null
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null
  send(frame: string): void
  close(code?: number): void
}

type NativeSocketConstructor = new (url: string) => NativeSocket

const open = 1
const normalClosure = 1000

/** The limit of the closing handshake when the transport closes, in ms. Browsers wait for minutes. */
const closeTimeout = 1000

/** Browser sockets have no pings, and their failures have no reason. A message is received whole before its length is known. */
export const nativeWebSocketTransport = (): WebSocketTransport => {
  const connections = new Set<Connection>()
  return {
    dial(url, { maxFrameBytes }, listener) {
      const { WebSocket } = globalThis as unknown as { readonly WebSocket: NativeSocketConstructor }
      const connection = new Connection(new WebSocket(url), maxFrameBytes, listener)
      connections.add(connection)
      void connection.whenClosed.then(() => connections.delete(connection))
      return connection
    },
    close: async () => {
      for (const connection of connections) connection.close()
      const allClosed = Promise.all(Array.from(connections, ({ whenClosed }) => whenClosed))
      const timeout = new Promise<void>((resolve) => delay(systemClock(), closeTimeout, resolve))
      await Promise.race([allClosed, timeout])
    },
  }
}

class Connection implements Socket {
  private isEnded = false
  private resolveClosed = (): void => undefined
  /** Resolves when the browser has closed the socket. */
  readonly whenClosed = new Promise<void>((resolve) => (this.resolveClosed = resolve))

  constructor(
    private readonly socket: NativeSocket,
    private readonly maxFrameBytes: number,
    private readonly listener: SocketListener,
  ) {
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => this.listener.opened()
    socket.onmessage = ({ data }) => this.onMessage(data)
    socket.onclose = ({ code, reason }) => {
      this.resolveClosed()
      this.end(code, reason === '' ? describe(code) : reason)
    }
  }

  get bufferedAmount(): number {
    return this.socket.bufferedAmount
  }

  send(frame: string): void {
    if (!this.isEnded && this.socket.readyState === open) this.socket.send(frame)
  }

  close(): void {
    this.abandon(noCloseFrame, 'closed by the client')
  }

  terminate(): void {
    this.abandon(noCloseFrame, 'terminated by the client')
  }

  private onMessage(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      if (data.byteLength > this.maxFrameBytes) return this.onOversized()
      return this.listener.binary(new Uint8Array(data))
    }
    // A character has at most three bytes of UTF-8.
    const mayBeOversized = 3 * data.length > this.maxFrameBytes
    if (mayBeOversized && new TextEncoder().encode(data).length > this.maxFrameBytes)
      return this.onOversized()
    this.listener.text(data)
  }

  private onOversized(): void {
    this.abandon(messageTooBig, `a message is longer than ${this.maxFrameBytes} bytes`)
  }

  /** Does not wait for the closing handshake: a browser may wait for minutes, and delivers data meanwhile. */
  private abandon(code: number, reason: string): void {
    const { socket } = this
    socket.onopen = socket.onmessage = null
    socket.onclose = this.resolveClosed
    socket.close(normalClosure)
    this.end(code, reason)
  }

  private end(code: number, reason: string): void {
    if (this.isEnded) return
    this.isEnded = true
    this.listener.closed(code, reason)
  }
}

const describe = (code: number): string =>
  code === noCloseFrame ? 'the connection failed; browsers do not say why' : 'closed by the service'
