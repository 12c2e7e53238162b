/** From this number of unsent bytes the buffer is full: the client keeps further frames back. */
const fullBytes = 32_768

/** The number of checks within the drain timeout. */
export const checksPerTimeout = 4

/** A full buffer counts as stalled after this many checks, even if the service reads. */
const maxFullChecks = 30 * checksPerTimeout

/**
 * Detects that the unsent bytes of a socket are not written. An operating system may accept no byte until the service
 * has read megabytes, so an answer of the service counts as a written byte.
 */
export class SendBuffer {
  /** The number of unsent bytes after the last send or check. */
  private bytes = 0
  /** True if bytes were written, the service answered, or the buffer was empty, since the last check. */
  private hasDrained = false
  private checksWithoutDrain = 0
  private checksWhileFull = 0

  constructor(private readonly unsentBytes: () => number) {}

  get isFull(): boolean {
    return this.unsentBytes() >= fullBytes
  }

  beforeSend(): void {
    const bytes = this.unsentBytes()
    if (bytes === 0 || bytes < this.bytes) this.hasDrained = true
    if (bytes < fullBytes) this.checksWhileFull = 0
    this.bytes = bytes
  }

  afterSend(): void {
    this.bytes = this.unsentBytes()
  }

  /** Called when the service answers a frame. */
  onAnswer(): void {
    this.hasDrained = true
  }

  /** Called `checksPerTimeout` times within the drain timeout. Returns true if the socket must be replaced. */
  hasStalled(): boolean {
    this.beforeSend()
    this.checksWithoutDrain = this.hasDrained ? 0 : this.checksWithoutDrain + 1
    this.hasDrained = false
    if (this.bytes >= fullBytes) this.checksWhileFull++
    return this.checksWithoutDrain >= checksPerTimeout || this.checksWhileFull >= maxFullChecks
  }
}
