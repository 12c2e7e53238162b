const accepted = 'HTTP/1.1 101 '
const interim = /^HTTP\/1\.[01] 1/
const headersEnd = Buffer.from('\r\n\r\n')

/** In bytes. Interim responses may follow each other forever. */
const maxLength = 65_536

/** The HTTP response to the upgrade request, after any interim responses (status 1xx). It may arrive in several pieces. */
export class UpgradeResponse {
  private statusLine = ''
  private length = 0
  private complete = false

  /** True once the empty line after the headers has been read. */
  get isComplete(): boolean {
    return this.complete
  }

  /** True if the status is 101. */
  get isAccepted(): boolean {
    return this.statusLine === accepted
  }

  /** True if the response and the interim responses before it are longer than `maxLength`. */
  get isTooLong(): boolean {
    return this.length > maxLength
  }

  /** Returns the number of bytes that it has read. The caller passes the others again, in front of the next piece. */
  read(bytes: Buffer): number {
    let end = 0
    while (end < bytes.length && !this.complete && !this.isTooLong) {
      const found = bytes.indexOf(headersEnd, end)
      const start = end
      end = found < 0 ? bytes.length - partialEnd(bytes.subarray(start)) : found + headersEnd.length
      this.statusLine = (this.statusLine + bytes.toString('latin1', start, end)).slice(0, accepted.length)
      this.length += end - start
      if (found < 0) break
      this.complete = this.isAccepted || !interim.test(this.statusLine)
      if (!this.complete) this.statusLine = ''
    }
    return end
  }
}

/** The number of bytes at the end of a piece that may be the beginning of the empty line. */
const partialEnd = (bytes: Buffer): number => {
  for (let length = Math.min(headersEnd.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(-length).equals(headersEnd.subarray(0, length))) return length
  }
  return 0
}
