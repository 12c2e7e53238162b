import { createClient, type ClientOptions, type PriceClient } from 'svc-streams'
import type { DialOptions, Socket, SocketListener, WebSocketTransport } from '../../src/transport/ports.js'

export interface ManualOptions {
  /** Called with each dial, each frame that goes out, and each ending that the client asks for. */
  readonly dialled?: (socket: ManualSocket) => void
  readonly sent?: (socket: ManualSocket, frame: string) => void
  readonly ended?: (socket: ManualSocket, how: 'close' | 'terminate') => void
  /** Whether a ping is answered at once. Default: it is. */
  readonly answers?: () => boolean
  /** Whether a socket that the client ends says so from within that call, or never. Default: from within. */
  readonly saysGoodbye?: boolean
}

/** A transport that a test plays by hand. */
export class ManualTransport implements WebSocketTransport {
  readonly sockets: ManualSocket[] = []

  constructor(private readonly options: ManualOptions = {}) {}

  dial(url: string, options: DialOptions, listener: SocketListener): Socket {
    const socket = new ManualSocket(url, options, listener, this.options)
    this.sockets.push(socket)
    this.options.dialled?.(socket)
    return socket
  }

  /** The socket of the latest dial. */
  get last(): ManualSocket {
    const socket = this.sockets.at(-1)
    if (socket === undefined) throw new Error('nothing was dialled')
    return socket
  }

  /** The sockets that neither end has ended. */
  get alive(): readonly ManualSocket[] {
    return this.sockets.filter(({ state }) => state !== 'gone')
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

export class ManualSocket implements Socket {
  state: 'dialling' | 'open' | 'gone' = 'dialling'
  /** How the client ended it, call by call. */
  readonly endings: ('close' | 'terminate')[] = []
  readonly frames: string[] = []
  pings = 0

  constructor(
    readonly url: string,
    readonly dialOptions: DialOptions,
    /** What the socket tells; a test may tell it things that a socket must not. */
    readonly listener: SocketListener,
    private readonly options: ManualOptions,
  ) {}

  // What the service does.

  opens(): void {
    this.state = 'open'
    this.listener.opened()
  }

  says(frame: string): void {
    this.listener.text(frame)
  }

  confirms(...subscriptions: readonly string[]): void {
    this.says(JSON.stringify({ subscriptions }))
  }

  prices(topic: string, price: number): void {
    this.says(JSON.stringify({ topic, price }))
  }

  drops(code = 1006, reason = ''): void {
    this.state = 'gone'
    this.listener.closed(code, reason)
  }

  // What the client does.

  send(frame: string): void {
    if (this.state !== 'open') return
    this.frames.push(frame)
    this.options.sent?.(this, frame)
  }

  ping(): void {
    if (this.state !== 'open') return
    this.pings++
    if (this.options.answers?.() ?? true) this.listener.alive()
  }

  close(): void {
    this.end('close', 1000)
  }

  terminate(): void {
    this.end('terminate', 1006)
  }

  private end(how: 'close' | 'terminate', code: number): void {
    this.endings.push(how)
    if (this.state === 'gone') return
    this.state = 'gone'
    this.options.ended?.(this, how)
    if (this.options.saysGoodbye ?? true) this.listener.closed(code, '')
  }
}

export interface Manual {
  readonly client: PriceClient
  readonly transport: ManualTransport
}

/** A client over a transport that is played by hand. */
export const manual = (
  options: Partial<ClientOptions> = {},
  transport: ManualTransport = new ManualTransport(),
): Manual => {
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://localhost:3000',
    webSocket: transport,
    ...options,
  })
  return { client, transport }
}
