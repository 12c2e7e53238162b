import type { ConsumerStream, ConsumerWebSocket } from '../../../src/gateway/websocket/text-frame.js'
import type { SentPrice } from './price-log.js'
import type { SimulatedProcess } from './process.js'
import type { ServerSocket } from './web-socket-transport.js'

/** Receives what a gateway sends to one consumer. */
export interface GatewaySocketObserver {
  /** Returns the record of the price in the frame, if there is one. */
  onText(frame: string): SentPrice | undefined
  onPing(payload: string): void
  onClose(code: number, reason: string): void
  /** The gateway ends the connection without a close frame. */
  onEnd(): void
}

/** The WebSocket of one consumer, and the stream below it, as `src/gateway` uses those of `ws`. */
export class GatewaySocket implements ConsumerWebSocket, ConsumerStream {
  readonly OPEN = 1
  readyState: 1 | 2 | 3 = 1
  /** The number of frames of the consumer that the gateway has read. */
  framesRead = 0

  constructor(
    private readonly process: SimulatedProcess,
    private readonly server: ServerSocket,
    private readonly observer: GatewaySocketObserver,
    /** Called once. */
    private readonly onClosed: () => void,
  ) {}

  get writableLength(): number {
    return this.server.unsentBytes
  }

  write(bytes: Buffer): boolean {
    for (const frame of textFramesOf(bytes))
      this.server.sendText(frame, { price: this.observer.onText(frame), read: this.framesRead })
    return true
  }

  ping(payload: string): void {
    if (this.readyState !== this.OPEN) return
    this.observer.onPing(payload)
    this.server.sendPing(payload)
  }

  pong(payload: Buffer): void {
    if (this.readyState === this.OPEN) this.server.sendPong(payload.toString())
  }

  close(code: number, reason: string): void {
    if (this.readyState !== this.OPEN) return
    this.readyState = 2
    this.observer.onClose(code, reason)
    this.server.close(code, reason)
  }

  terminate(): void {
    if (this.readyState === 3) return
    this.server.abandon()
    this.observer.onEnd()
    this.process.receive({}, () => this.closed())
  }

  /** The connection has ended. */
  closed(): void {
    if (this.readyState === 3) return
    this.readyState = 3
    this.onClosed()
  }
}

/** The payload lengths from which the length has two, and eight, bytes of its own (RFC 6455, section 5.2). */
const medium = 126
const long = 127

function* textFramesOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length;) {
    const short = bytes[at + 1]!
    const headerBytes = short === medium ? 4 : 2
    if (bytes[at] !== 0x81 || short >= long) throw new Error(`no text frame of a server at byte ${at}`)
    const start = at + headerBytes
    const end = start + (short === medium ? bytes.readUInt16BE(at + 2) : short)
    yield bytes.toString('utf8', start, end)
    at = end
  }
}
