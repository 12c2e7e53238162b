const accepted = 'HTTP/1.1 101 '
const headersEnd = Buffer.from('\r\n\r\n')

/** The HTTP response to the upgrade request, which may arrive in several pieces. */
export class UpgradeResponse {
  private statusLine = ''
  private complete = false

  /** True once the empty line after the headers has been read. */
  get isComplete(): boolean {
    return this.complete
  }

  /** True if the status is 101. */
  get isAccepted(): boolean {
    return this.statusLine === accepted
  }

  /** Returns the number of bytes that it has read. The caller passes the others again, in front of the next piece. */
  read(bytes: Buffer): number {
    const found = bytes.indexOf(headersEnd)
    const end = found < 0 ? bytes.length - partialEnd(bytes) : found + headersEnd.length
    this.statusLine = (this.statusLine + bytes.toString('latin1', 0, end)).slice(0, accepted.length)
    this.complete = found >= 0
    return end
  }
}

/** The number of bytes at the end of a piece that may be the beginning of the empty line. */
const partialEnd = (bytes: Buffer): number => {
  for (let length = headersEnd.length - 1; length > 0; length--) {
    if (bytes.subarray(-length).equals(headersEnd.subarray(0, length))) return length
  }
  return 0
}
