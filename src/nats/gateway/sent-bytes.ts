/** Size of what a gateway has published for its consumers, over all its connections to NATS, in bytes. */
export class SentBytes {
  private bytes = 0

  add(bytes: number): void {
    this.bytes += bytes
  }

  /** The bytes that are not taken yet. */
  get pending(): number {
    return this.bytes
  }

  take(): number {
    const { bytes } = this
    this.bytes = 0
    return bytes
  }
}
