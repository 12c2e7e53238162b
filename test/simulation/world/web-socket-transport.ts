import type {
  ResponseHead,
  Socket,
  SocketListener,
  WebSocketTransport,
} from '../../../src/wire/transport/ports.js'
import type { Connection, Host, Link } from './network.js'
import type { SentPrice } from './price-log.js'
import type { SimulatedProcess } from './process.js'

/** Time after `close` within which the service must respond, in ms. As in `src/wire/transport/ws/ws-transport.ts`. */
const closeTimeout = 1000

const noCloseFrame = 1006

/** The bytes around the payload of a frame. */
const frameBytes = 8

/** The service's end of a WebSocket. Its methods are called in the process of the service. */
export interface ServerHandler {
  onText(frame: string): void
  onPing(payload: string): void
  /** The client answers a ping. */
  onPong?(payload: string): void
  onClosed(): void
}

/** What a service does with an upgrade request. */
export interface Upgrade {
  accept(handler: (socket: ServerSocket) => ServerHandler): void
  refuse(response: ResponseHead): void
}

/** A socket as observers see it. */
export interface PortSocket {
  readonly id: number
  readonly bufferedAmount: number
}

/** What a frame of a server is, as the server knows it. */
export interface FrameContent {
  /** The price in it. */
  readonly price?: SentPrice | undefined
  /** The number of the client's frame that it answers, from 0. */
  readonly answers?: number
  /** The number of the client's frames that a gateway had read before it sent this one. */
  readonly read?: number
}

/** Receives what happens at the port of a client. */
export interface PortObserver {
  /** False for the sockets of a page: a browser sends no pings, and does not tell of those of the service. */
  readonly hasPings: boolean
  onDial(socket: PortSocket): void
  onOpened(socket: PortSocket): void
  onSent(socket: PortSocket, frame: string): void
  onPing(payload: string): void
  /** Called before the client reads the frame. */
  onReceived(socket: PortSocket, frame: string, content: FrameContent): void
  /** A ping of the service was read. */
  onAlive(): void
  /** `payload`: of the ping that it answers, if that is known. */
  onPong(payload?: string): void
  /** `how`: why the socket has closed, for the trace. `refusal`: the response to its upgrade request. */
  onClosed(socket: PortSocket, how: string, refusal?: ResponseHead): void
}

/** The WebSockets of one client. `host`: the service that listens. */
export class SimulatedTransport implements WebSocketTransport {
  private readonly sockets = new Set<SimulatedSocket>()
  private lastId = 0

  constructor(
    private readonly process: SimulatedProcess,
    private readonly link: Link,
    private readonly host: Host,
    private readonly onUpgrade: (upgrade: Upgrade) => void,
    private readonly observer: PortObserver,
  ) {}

  /** The sockets that are not closed: also those that the client has ended, until they are. */
  get size(): number {
    return this.sockets.size
  }

  dial(_url: string, _options: unknown, listener: SocketListener): Socket {
    const { process, link, host, observer } = this
    const socket = new SimulatedSocket(++this.lastId, process, listener, observer, () =>
      this.sockets.delete(socket),
    )
    this.sockets.add(socket)
    observer.onDial(socket)
    link.connect(process, host, (result) => {
      if (typeof result === 'string') socket.fail(result)
      else socket.connect(result, this.onUpgrade)
    })
    return socket
  }

  close(): Promise<void> {
    const sockets = [...this.sockets]
    for (const socket of sockets) socket.close()
    return Promise.all(sockets.map(({ whenClosed }) => whenClosed)).then(() => undefined)
  }
}

export class SimulatedSocket implements Socket, PortSocket {
  private state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting'
  private connection: Connection | undefined
  private resolveClosed: () => void = () => undefined
  readonly whenClosed = new Promise<void>((resolve) => (this.resolveClosed = resolve))

  constructor(
    readonly id: number,
    private readonly process: SimulatedProcess,
    readonly listener: SocketListener,
    private readonly observer: PortObserver,
    private readonly onGone: () => void,
  ) {}

  // The port.

  get bufferedAmount(): number {
    return this.connection?.up.unsentBytes ?? 0
  }

  send(frame: string): void {
    if (this.state !== 'open') return
    this.observer.onSent(this, frame)
    this.sendUp(frame.length, (handler) => handler.onText(frame))
  }

  get ping(): Socket['ping'] {
    return this.observer.hasPings ? (payload) => this.sendPing(payload) : undefined
  }

  close(): void {
    if (this.state === 'connecting') return this.terminate()
    if (this.state !== 'open') return
    this.state = 'closing'
    this.observer.onClosed(this, 'closed by the client')
    this.connection?.end('client')
    // The service's end of the connection confirms it.
    this.process.addTimer(
      () => this.finish(noCloseFrame, ''),
      Math.min(closeTimeout, 2 * (this.connection?.link.latency ?? 0)),
      false,
    )
  }

  terminate(): void {
    if (this.state === 'closed') return
    if (this.state !== 'closing') this.observer.onClosed(this, 'terminated by the client')
    this.state = 'closing'
    this.connection?.end('client')
    this.process.receive({}, () => this.finish(noCloseFrame, ''))
  }

  // The network.

  fail(reason: string, code = noCloseFrame, refusal?: ResponseHead): void {
    if (this.state === 'connecting' || this.state === 'open') this.observer.onClosed(this, reason, refusal)
    this.finish(code, reason, refusal)
  }

  connect(connection: Connection, onUpgrade: (upgrade: Upgrade) => void): void {
    this.connection = connection
    if (this.state !== 'connecting') return connection.end('client')
    connection.onEnd.client = () => this.fail('the connection ended without a close frame')
    const upgrade: Upgrade = {
      accept: (handlerOf) => {
        connection.down.send(frameBytes, () => this.opened())
        this.handler = handlerOf(new ServerSocket(connection, this))
        connection.onEnd.server = () => this.handler?.onClosed()
      },
      refuse: (response) => {
        connection.down.send(frameBytes, () => {
          this.fail(`Unexpected server response: ${response.status}`, noCloseFrame, response)
          connection.end('client')
        })
      },
    }
    connection.up.send(200, () => onUpgrade(upgrade))
  }

  private handler: ServerHandler | undefined

  /** Called in the process of the client: a message of the service. */
  receive(read: (listener: SocketListener) => void): void {
    if (this.state === 'open') read(this.listener)
  }

  receiveText(frame: string, content: FrameContent): void {
    if (this.state !== 'open') return
    this.observer.onReceived(this, frame, content)
    const bytes = Buffer.from(frame)
    if (!this.listener.bytes(bytes, 0, bytes.length)) this.listener.text(frame)
  }

  /** Answers it, as `ws` and browsers do by themselves. */
  receivePing(payload: string): void {
    if (this.state !== 'open') return
    this.sendUp(payload.length, (handler) => handler.onPong?.(payload))
    if (!this.observer.hasPings) return
    this.observer.onAlive()
    this.listener.alive()
  }

  receivePong(payload: string): void {
    if (this.state !== 'open') return
    this.observer.onPong(payload)
    this.listener.pong?.(payload)
  }

  private sendPing(payload: string): void {
    if (this.state !== 'open') return
    this.observer.onPing(payload)
    this.sendUp(payload.length, (handler) => handler.onPing(payload))
  }

  private opened(): void {
    if (this.state !== 'connecting') return
    this.state = 'open'
    this.observer.onOpened(this)
    this.listener.opened()
  }

  private sendUp(bytes: number, read: (handler: ServerHandler) => void): void {
    const { handler } = this
    if (handler !== undefined) this.connection?.up.send(bytes + frameBytes, () => read(handler))
  }

  private finish(code: number, reason: string, refusal?: ResponseHead): void {
    if (this.state === 'closed') return
    this.state = 'closed'
    this.onGone()
    this.resolveClosed()
    this.listener.closed(code, reason, refusal)
  }
}

/** The service's end. A service that does not read its socket stops reading: its process is stopped. */
export class ServerSocket {
  constructor(
    private readonly connection: Connection,
    readonly client: SimulatedSocket,
  ) {}

  get unsentBytes(): number {
    return this.connection.down.unsentBytes
  }

  sendText(frame: string, content: FrameContent = {}): void {
    this.connection.down.send(frame.length + frameBytes, () => this.client.receiveText(frame, content))
  }

  sendPing(payload: string): void {
    this.connection.down.send(payload.length + frameBytes, () => this.client.receivePing(payload))
  }

  sendBinary(frame: Uint8Array): void {
    this.connection.down.send(frame.length + frameBytes, () =>
      this.client.receive((listener) => listener.binary(frame)),
    )
  }

  sendPong(payload: string): void {
    this.connection.down.send(payload.length + frameBytes, () => this.client.receivePong(payload))
  }

  /** The process of the service has died, or it ends the connection without a close frame. */
  abandon(): void {
    this.connection.end('server')
  }

  close(code: number, reason: string): void {
    this.connection.down.send(frameBytes, () => {
      this.client.fail(reason, code)
      this.connection.end('client')
    })
  }
}
