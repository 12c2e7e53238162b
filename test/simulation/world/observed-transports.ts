import { isRight } from 'fp-ts/lib/Either.js'
import type { Address } from '../../../src/base/domain/topic.js'
import type {
  DialOptions,
  HttpRequest,
  HttpTransport,
  InternalSocket,
  OnHttpResult,
  ResponseHead,
  Socket,
  SocketListener,
  WebSocketTransport,
} from '../../../src/wire/transport/ports.js'
import type { RequestObserver } from './http-transport.js'
import type { SentPrice } from './price-log.js'
import type { PortObserver, PortSocket } from './web-socket-transport.js'

/** Finds the record of the price in a frame that a client reads, if there is one. `isNew`: it was sent as it arrived. */
export interface PriceFinder {
  find(frame: string, socket: PortSocket, isNew: boolean): SentPrice | undefined
}

/** Transports of the library, between which and the client an observer records what happens. */
export class ObservedTransport implements WebSocketTransport {
  private lastId = 0

  constructor(
    private readonly transport: WebSocketTransport,
    private readonly observer: PortObserver,
    private readonly prices: PriceFinder,
  ) {}

  dial(url: string, options: DialOptions, listener: SocketListener): Socket {
    const socket = new ObservedSocket(++this.lastId, listener, this.observer, this.prices)
    socket.dial(this.transport, url, options)
    return socket
  }

  close(): Promise<void> {
    return this.transport.close()
  }
}

class ObservedSocket implements Socket, SocketListener, PortSocket {
  private socket: InternalSocket | undefined
  private isClosed = false
  /** True while a frame of bytes that the client has not taken comes again as a text. */
  private isRepeated = false

  constructor(
    readonly id: number,
    private readonly listener: SocketListener,
    private readonly observer: PortObserver,
    private readonly prices: PriceFinder,
  ) {}

  dial(transport: WebSocketTransport, url: string, options: DialOptions): void {
    this.observer.onDial(this)
    this.socket = transport.dial(url, options, this)
  }

  // The socket.

  get bufferedAmount(): number {
    return this.socket?.bufferedAmount ?? 0
  }

  readonly ping = (payload: string): void => this.socket?.ping?.(payload)

  isCurrent(base?: Address): boolean {
    return this.socket?.isCurrent?.(base) ?? true
  }

  send(frame: string): void {
    if (!this.isClosed) this.observer.onSent(this, frame)
    this.socket?.send(frame)
  }

  close(): void {
    this.socket?.close()
  }

  terminate(): void {
    this.socket?.terminate()
  }

  // Its listener.

  opened(): void {
    this.observer.onOpened(this)
    // The round trip of the opening limits the age of prices.
    this.observer.onPong()
    this.listener.opened()
  }

  bytes(buffer: Uint8Array, start: number, end: number): boolean {
    const frame = Buffer.from(buffer.subarray(start, end)).toString()
    this.observer.onReceived(this, frame, { price: this.prices.find(frame, this, true) })
    const isTaken = this.listener.bytes(buffer, start, end)
    this.isRepeated = !isTaken
    return isTaken
  }

  text(frame: string): void {
    if (!this.isRepeated)
      this.observer.onReceived(this, frame, { price: this.prices.find(frame, this, false) })
    this.isRepeated = false
    this.listener.text(frame)
  }

  binary(frame: Uint8Array): void {
    this.listener.binary(frame)
  }

  alive(): void {
    this.observer.onPong()
    this.listener.alive()
  }

  pong(payload?: string): void {
    this.observer.onPong()
    this.listener.pong?.(payload)
  }

  closed(code: number, reason: string, refusal?: ResponseHead): void {
    this.isClosed = true
    this.observer.onClosed(this, reason)
    this.listener.closed(code, reason, refusal)
  }
}

export class ObservedHttp implements HttpTransport {
  /** The number of requests without a result. */
  size = 0

  constructor(
    private readonly transport: HttpTransport,
    private readonly observer: RequestObserver,
  ) {}

  get(request: HttpRequest, onResult: OnHttpResult, onSent?: () => void): () => void {
    const { path, newConnection } = request
    let isEnded = false
    const end = (status?: number): void => {
      if (isEnded) return
      isEnded = true
      this.size--
      this.observer.onRequestEnd(path, status)
    }
    this.size++
    this.observer.onRequest(path, newConnection === true)
    const onEnd: OnHttpResult = (result, mayRepeat) => {
      end(isRight(result) ? result.right.status : undefined)
      onResult(result, mayRepeat)
    }
    const abort = this.transport.get(request, onEnd, onSent)
    return () => {
      end()
      abort()
    }
  }

  close(): Promise<void> {
    return this.transport.close()
  }
}
