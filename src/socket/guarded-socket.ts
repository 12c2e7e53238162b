import type { Socket } from '../transport/ports.js'
import { SendBuffer } from './send-buffer.js'

/** A socket of a transport. Passes exceptions to `onException`, and measures the unsent bytes. */
export class GuardedSocket implements Socket {
  private readonly buffer = new SendBuffer(() => this.bufferedAmount)

  constructor(
    private readonly socket: Socket,
    private readonly onException: (thrown: unknown) => void,
  ) {}

  get bufferedAmount(): number {
    const { bufferedAmount = 0 } = this.socket
    // Also 0 for NaN.
    return bufferedAmount > 0 ? bufferedAmount : 0
  }

  /** True if further frames must wait until the socket has written unsent bytes. */
  get isFull(): boolean {
    return this.try(() => this.buffer.isFull) ?? true
  }

  /** False if the transport does not report unsent bytes. */
  get reportsUnsentBytes(): boolean {
    return this.try(() => this.socket.bufferedAmount !== undefined) ?? false
  }

  /** Called when the service answers a frame. */
  onAnswer(): void {
    this.buffer.onAnswer()
  }

  /** See `SendBuffer.hasStalled`. */
  hasStalled(): boolean {
    return this.try(() => this.buffer.hasStalled()) ?? false
  }

  send(frame: string): void {
    // Not by `try`, which would allocate a closure for each frame.
    try {
      this.buffer.beforeSend()
      this.socket.send(frame)
      this.buffer.afterSend()
    } catch (thrown) {
      this.onException(thrown)
    }
  }

  /** False if the transport has no pings. */
  get hasPings(): boolean {
    return this.socket.ping !== undefined
  }

  ping(payload: string): void {
    this.try(() => {
      this.buffer.beforeSend()
      this.socket.ping?.(payload)
      this.buffer.afterSend()
    })
  }

  /** See `Socket.isCurrent`. */
  readonly isCurrent = (): boolean => this.try(() => this.socket.isCurrent?.()) ?? true

  close(): void {
    this.try(() => this.socket.close())
  }

  terminate(): void {
    this.try(() => this.socket.terminate())
  }

  private try<A>(act: () => A): A | undefined {
    try {
      return act()
    } catch (thrown) {
      this.onException(thrown)
      return undefined
    }
  }
}
