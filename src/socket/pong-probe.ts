/**
 * Detects the answer to a ping. Frames that the service sent before it received the ping arrive before
 * the pong, so all frames after the pong are newer than the ping.
 */
export class PongProbe {
  private pings = 0
  private pongs = 0
  private awaitedPongs = 0

  /** True from `start` until the pong of the last ping arrives. */
  get isPending(): boolean {
    return this.pongs < this.awaitedPongs
  }

  onPing(): void {
    this.pings++
  }

  /** A pong without a ping does not count. */
  onPong(): void {
    if (this.pongs < this.pings) this.pongs++
  }

  /** Waits for the pong of the last ping. Returns a function that is true until that pong arrives. */
  start(): () => boolean {
    const awaited = this.pings
    this.awaitedPongs = awaited
    return () => this.pongs < awaited
  }
}
