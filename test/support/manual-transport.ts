import { createClient, type ClientOptions, type PriceClient } from 'svc-streams'
import {
  notifyPong,
  type DialOptions,
  type ResponseHead,
  type InternalSocket,
  type SocketListener,
  type WebSocketTransport,
} from '../../src/wire/transport/ports.js'

export interface ManualTransportOptions {
  readonly onDial?: (socket: ManualSocket) => void
  /** Called for each frame that the client sends. */
  readonly onSend?: (socket: ManualSocket, frame: string) => void
  /** Called when the client ends a socket. */
  readonly onEnd?: (socket: ManualSocket, how: 'close' | 'terminate') => void
  /** True if a ping is answered, synchronously. Default: true. */
  readonly answersPings?: (socket: ManualSocket) => boolean
  /** False if the sockets have no pings, like those of a browser. Default: true. */
  readonly hasPings?: boolean
  /** True if a socket that the client ends reports `closed`, synchronously; otherwise it never does. Default: true. */
  readonly reportsClose?: boolean
  /** The size of each frame in `bufferedAmount`, in bytes. Default: the sockets have no `bufferedAmount`. */
  readonly bytesPerFrame?: number
}

/** The size of a ping without a payload. */
const pingBytes = 6

/** A WebSocket transport whose sockets are driven by the test. */
export class ManualTransport implements WebSocketTransport {
  readonly sockets: ManualSocket[] = []

  constructor(private readonly options: ManualTransportOptions = {}) {}

  dial(url: string, options: DialOptions, listener: SocketListener): InternalSocket {
    const Socket = this.options.bytesPerFrame === undefined ? ManualSocket : BufferingSocket
    const socket = new Socket(url, options, listener, this.options)
    this.sockets.push(socket)
    this.options.onDial?.(socket)
    return socket
  }

  get lastSocket(): ManualSocket {
    const socket = this.sockets.at(-1)
    if (socket === undefined) throw new Error('the client has not dialled')
    return socket
  }

  /** The sockets that are connecting or open. */
  get activeSockets(): readonly ManualSocket[] {
    return this.sockets.filter(({ state }) => state !== 'closed')
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

export class ManualSocket implements InternalSocket {
  state: 'connecting' | 'open' | 'closed' = 'connecting'
  /** The calls of `close` and `terminate`, in order. */
  readonly endCalls: ('close' | 'terminate')[] = []
  readonly frames: string[] = []
  pings = 0
  /** False if the service does not read: each frame and ping then adds to `unsentBytes`. */
  isRead = true
  unsentBytes = 0

  constructor(
    readonly url: string,
    readonly dialOptions: DialOptions,
    /** The client's listener. A test may call it in an order that a transport must not use. */
    readonly listener: SocketListener,
    private readonly options: ManualTransportOptions,
  ) {}

  // Called by the test, as the service.

  open(): void {
    this.state = 'open'
    this.listener.opened()
  }

  deliver(frame: string): void {
    this.listener.text(frame)
  }

  deliverConfirmation(...subscriptions: readonly string[]): void {
    this.deliver(JSON.stringify({ subscriptions }))
  }

  deliverPrice(topic: string, price: number): void {
    this.deliver(JSON.stringify({ topic, price }))
  }

  drop(code = 1006, reason = '', refusal?: ResponseHead): void {
    this.state = 'closed'
    this.listener.closed(code, reason, refusal)
  }

  /** Writes this number of unsent bytes. */
  drain(bytes = Infinity): void {
    this.unsentBytes = Math.max(0, this.unsentBytes - bytes)
  }

  // Called by the client.

  send(frame: string): void {
    if (this.state !== 'open') return
    this.frames.push(frame)
    this.addUnsentBytes(this.options.bytesPerFrame ?? 0)
    this.options.onSend?.(this, frame)
  }

  get ping(): (() => void) | undefined {
    return this.options.hasPings === false ? undefined : () => this.sendPing()
  }

  close(): void {
    this.end('close', 1000)
  }

  terminate(): void {
    this.end('terminate', 1006)
  }

  private sendPing(): void {
    if (this.state !== 'open') return
    this.pings++
    this.addUnsentBytes(pingBytes)
    if (this.options.answersPings?.(this) ?? true) notifyPong(this.listener)
  }

  private addUnsentBytes(bytes: number): void {
    if (!this.isRead) this.unsentBytes += bytes
  }

  private end(how: 'close' | 'terminate', code: number): void {
    this.endCalls.push(how)
    if (this.state === 'closed') return
    this.state = 'closed'
    this.options.onEnd?.(this, how)
    if (this.options.reportsClose ?? true) this.listener.closed(code, '')
  }
}

/** A socket that reports its unsent bytes. */
class BufferingSocket extends ManualSocket {
  get bufferedAmount(): number {
    return this.unsentBytes
  }
}

export interface ManualClient {
  readonly client: PriceClient
  readonly transport: ManualTransport
}

/** Creates a client over a manual transport. */
export const createManualClient = (
  options: Partial<ClientOptions> = {},
  transport: ManualTransport = new ManualTransport(),
): ManualClient => {
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://localhost:3000',
    webSocket: transport,
    ...options,
  })
  return { client, transport }
}
