/** Collects a response body. Copies the second and later pieces, so that many small pieces do not retain network buffers. */
export class Body {
  private bytes = noBytes
  private used = 0

  /** Size in bytes. */
  get size(): number {
    return this.used
  }

  add(piece: Buffer): void {
    const size = this.used + piece.length
    if (this.used === 0) this.bytes = piece
    else {
      if (size > this.bytes.length) this.grow(2 * size)
      piece.copy(this.bytes, this.used)
    }
    this.used = size
  }

  toString(): string {
    return this.bytes.toString('utf8', 0, this.used)
  }

  private grow(capacity: number): void {
    const bytes = Buffer.allocUnsafeSlow(capacity)
    this.bytes.copy(bytes, 0, 0, this.used)
    this.bytes = bytes
  }
}

const noBytes: Buffer = Buffer.alloc(0)
