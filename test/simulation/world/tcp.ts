import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import type { OpenTcpSocket } from '../../../src/nats/connection/tcp-transport.js'
import type { Connection, Host, Link } from './network.js'
import type { SimulatedProcess } from './process.js'

/** A server of TCP connections. `accept` is called in its process. */
export interface TcpServer {
  readonly host: Host
  readonly accept: (socket: ServerTcpSocket) => TcpHandler
}

/** Receives what happens to one connection, in the process of the server. */
export interface TcpHandler {
  onData(bytes: Uint8Array): void
  /** The other end has closed the connection, or it is reset. */
  onClosed(): void
}

/** The server's end of a TCP connection. */
export class ServerTcpSocket {
  constructor(
    private readonly connection: Connection,
    private readonly client: SimulatedTcpSocket,
  ) {}

  /** What the kernel has not taken. */
  get unsentBytes(): number {
    return this.connection.down.unsentBytes
  }

  /** The process of the client. */
  get clientProcess(): SimulatedProcess {
    return this.connection.client
  }

  /** `onRead`: called in the process of the client before it reads the bytes. */
  write(bytes: Uint8Array, onRead?: () => void): void {
    this.connection.down.send(bytes.length, () => {
      onRead?.()
      this.client.receive(bytes)
    })
  }

  /** Closes the connection after all that was written. */
  end(): void {
    this.connection.end('server')
  }
}

/** Finds the server at a port. */
export type ServerAt = (port: number) => TcpServer

/** The TCP sockets of one process. A port leads to one server; the address has no meaning. */
export class SimulatedTcp {
  private readonly sockets = new Set<SimulatedTcpSocket>()

  constructor(
    private readonly process: SimulatedProcess,
    private readonly link: Link,
    private readonly serverAt: ServerAt,
  ) {}

  /** The number of sockets that are not closed. */
  get size(): number {
    return this.sockets.size
  }

  /** The longest time since something was written that the other end has not read, in ms in which the process was running. */
  get unreadMs(): number {
    return Math.max(0, ...[...this.sockets].map(({ unreadMs }) => unreadMs))
  }

  readonly open: OpenTcpSocket = (port) => {
    const socket = new SimulatedTcpSocket(this.process, () => this.sockets.delete(socket))
    this.sockets.add(socket)
    socket.connect(this.link, this.serverAt(port))
    // Like `node:net`, as far as the library uses it.
    return socket as unknown as Duplex
  }
}

/**
 * A socket of `node:net`. It is no stream of Node: those use `process.nextTick`, after which a process of the simulation may no
 * longer be the one that runs.
 */
export class SimulatedTcpSocket extends EventEmitter {
  private connection: Connection | undefined
  private handler: TcpHandler | undefined
  private chunks: Uint8Array[] = []
  /** When each text was written that the other end has not read, in ms in which the process was running. */
  private readonly unread: number[] = []
  private isFlowing = false
  private isDestroyed = false

  constructor(
    private readonly process: SimulatedProcess,
    private readonly onGone: () => void,
  ) {
    super()
  }

  get unreadMs(): number {
    const [oldest] = this.unread
    return oldest === undefined ? 0 : this.process.activeMs - oldest
  }

  connect(link: Link, server: TcpServer): void {
    link.connect(this.process, server.host, (result) => {
      if (typeof result === 'string') return this.destroy(new Error(result))
      if (this.isDestroyed) return result.end('client')
      this.connection = result
      result.onEnd.client = () => {
        this.flow()
        this.destroy()
      }
      result.up.send(0, () => {
        const handler = server.accept(new ServerTcpSocket(result, this))
        this.handler = handler
        result.onEnd.server = () => handler.onClosed()
      })
      this.emit('connect')
    })
  }

  write(bytes: Uint8Array): boolean {
    // The caller may use its buffer again.
    const sent = Uint8Array.from(bytes)
    const { connection } = this
    if (this.isDestroyed || connection === undefined) return true
    this.unread.push(this.process.activeMs)
    connection.up.send(sent.length, () => {
      this.unread.shift()
      this.handler?.onData(sent)
    })
    return true
  }

  /** The first listener starts the flow of data, unless the socket is paused. */
  override on(event: string, listener: (...values: never[]) => void): this {
    super.on(event, listener as (...values: unknown[]) => void)
    return event === 'data' ? this.resume() : this
  }

  pause(): this {
    this.isFlowing = false
    return this
  }

  resume(): this {
    this.isFlowing = true
    this.flowLater()
    return this
  }

  destroy(error?: Error): this {
    if (this.isDestroyed) return this
    this.isDestroyed = true
    this.connection?.end('client')
    this.process.receive({}, () => {
      this.onGone()
      if (error !== undefined) this.emit('error', error)
      this.emit('close')
    })
    return this
  }

  /** One read takes all that has arrived, as that of Node: messages that were sent at once are handled at once. */
  receive(bytes: Uint8Array): void {
    this.chunks.push(bytes)
    if (this.chunks.length === 1) this.flowLater()
  }

  private flowLater(): void {
    queueMicrotask(() => this.flow())
  }

  private flow(): void {
    if (!this.isFlowing || this.isDestroyed || this.chunks.length === 0) return
    const { chunks } = this
    this.chunks = []
    this.emit('data', Buffer.concat(chunks))
  }
}
