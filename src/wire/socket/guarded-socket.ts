import type { Address } from '../../base/domain/topic.js'
import { type InternalSocket, type Socket } from '../transport/ports.js'

/** From this number of unsent bytes the buffer is full: the client delays further frames. */
const fullBytes = 32_768

/** The number of checks within the drain timeout. */
export const checksPerTimeout = 4

/**
 * A socket of a transport. Passes exceptions to `onException`, and detects that its unsent bytes are not written. An operating
 * system may accept no byte until the service has read megabytes, so an answer of the service counts as a written byte.
 */
export class GuardedSocket implements Socket {
  /** The number of unsent bytes after the last send or check. */
  private unsentBytes = 0
  /** True if bytes were written, the service answered, or the buffer was empty, since the last check. */
  private hasDrained = false
  private checksWithoutDrain = 0

  constructor(
    private readonly socket: InternalSocket,
    private readonly onException: (thrown: unknown) => void,
  ) {}

  get bufferedAmount(): number {
    const { bufferedAmount = 0 } = this.socket
    // Also 0 for NaN.
    return bufferedAmount > 0 ? bufferedAmount : 0
  }

  /** True if further frames must wait until the socket has written unsent bytes. */
  get isFull(): boolean {
    return this.try(() => this.bufferedAmount >= fullBytes) ?? true
  }

  get reportsUnsentBytes(): boolean {
    return this.try(() => this.socket.bufferedAmount !== undefined) ?? false
  }

  /** The service has read a frame: it has answered it. */
  onRead(): void {
    this.hasDrained = true
  }

  /** Called `checksPerTimeout` times within the drain timeout. Returns true if the socket must be replaced. */
  hasStalled(): boolean {
    this.try(() => this.measure())
    this.checksWithoutDrain = this.hasDrained ? 0 : this.checksWithoutDrain + 1
    this.hasDrained = false
    return this.checksWithoutDrain >= checksPerTimeout
  }

  send(frame: string): void {
    this.write(() => this.socket.send(frame))
  }

  get hasPings(): boolean {
    return this.socket.ping !== undefined
  }

  ping(payload: string): void {
    this.write(() => this.socket.ping?.(payload))
  }

  /** See `InternalSocket.isCurrent`. */
  isCurrent(base?: Address): boolean {
    return this.try(() => this.socket.isCurrent?.(base)) ?? true
  }

  close(): void {
    this.try(() => this.socket.close())
  }

  terminate(): void {
    this.try(() => this.socket.terminate())
  }

  private write(write: () => void): void {
    this.try(() => {
      this.measure()
      write()
      this.unsentBytes = this.bufferedAmount
    })
  }

  private measure(): void {
    const bytes = this.bufferedAmount
    if (bytes === 0 || bytes < this.unsentBytes) this.hasDrained = true
    this.unsentBytes = bytes
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
