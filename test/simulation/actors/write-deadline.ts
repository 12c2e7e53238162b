import type { SimulatedProcess, Timer } from '../world/process.js'

/** The end of a connection that a server writes to. */
interface Written {
  /** What the kernel has not taken. */
  readonly unsentBytes: number
}

/** The limit for a connection that does not take what a NATS server writes: the other end may be slow, but not too slow. */
export class WriteDeadline {
  private writtenBytes = 0
  private timer: Timer | undefined

  constructor(
    private readonly process: SimulatedProcess,
    /** In ms. */
    private readonly limit: number,
    private readonly connection: Written,
    private readonly onTooSlow: () => void,
  ) {}

  onWritten(bytes: number): void {
    this.writtenBytes += bytes
    if (this.connection.unsentBytes > 0 && this.timer === undefined) this.start()
  }

  stop(): void {
    this.process.clear(this.timer)
  }

  /** What waits now must be taken by the kernel before the deadline. */
  private start(): void {
    const { writtenBytes } = this
    const check = (): void => {
      this.timer = undefined
      const { unsentBytes } = this.connection
      if (this.writtenBytes - unsentBytes < writtenBytes) this.onTooSlow()
      else if (unsentBytes > 0) this.start()
    }
    this.timer = this.process.addTimer(check, this.limit, false)
  }
}
