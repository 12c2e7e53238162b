import { left, right, type Either } from 'fp-ts/lib/Either.js'

/**
 * Removes the interim responses (status 1xx) before a response, because undici rejects `100 Continue`. Call `expect` when
 * a request is sent, and pass every following byte to `read`. A response other than 1xx passes unchanged, and
 * after its first bytes `isActive` is false. Status 101 is an error, because the client requests no other protocol.
 */
export class InterimResponses {
  private state: 'status' | 'interim' | 'passthrough' = 'passthrough'
  /** The first bytes of a response, until its status is complete. */
  private held = noBytes
  /** How many bytes of `\r\n\r\n`, the end of an interim response, the last bytes are. */
  private endBytes = 0

  /** False if `read` returns its argument unchanged. */
  get isActive(): boolean {
    return this.state !== 'passthrough'
  }

  /** A response is expected: the next byte is its first. */
  expect(): void {
    this.state = 'status'
    this.held = noBytes
  }

  /** Returns the bytes to pass on, or an error after which the connection must be closed. */
  read(bytes: Buffer): Either<Error, Buffer> {
    let rest = bytes
    while (this.isActive && rest.length > 0) {
      if (this.state === 'status') {
        const start = this.held.length === 0 ? rest : Buffer.concat([this.held, rest])
        this.held = noBytes
        const status = interimStatus(start)
        if (status === 'incomplete') {
          this.held = Buffer.from(start)
          return right(noBytes)
        }
        if (status === '101') return left(new Error('unexpected response: 101 Switching Protocols'))
        this.state = status === undefined ? 'passthrough' : 'interim'
        this.endBytes = 0
        rest = start
      } else {
        const end = this.skip(rest)
        if (end === undefined) return left(new Error('invalid line break in an interim response'))
        rest = rest.subarray(end)
      }
    }
    return right(rest)
  }

  /** Returns the bytes that `read` has kept: the response is incomplete, and the connection has ended. */
  end(): Buffer {
    const { held } = this
    this.held = noBytes
    this.state = 'passthrough'
    return held
  }

  /** Returns the number of bytes that belong to the interim response, or `undefined` if a CR or LF stands alone. */
  private skip(bytes: Buffer): number | undefined {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === endOfHeaders[this.endBytes]) this.endBytes++
      else if (this.endBytes % 2 === 1 || byte === lineFeed) return undefined
      else this.endBytes = 0
      if (this.endBytes === endOfHeaders.length) {
        this.state = 'status'
        return at + 1
      }
    }
    return bytes.length
  }
}

const noBytes: Buffer = Buffer.alloc(0)

const endOfHeaders = Buffer.from('\r\n\r\n')
const lineFeed = 0x0a

/** Position of the first digit of the status. */
const statusAt = 'HTTP/1.1 '.length
const one = 0x31

/** The first bytes of an interim response, up to the byte after its status. */
const interimStart = /^HTTP\/1\.[01] (1\d\d)[ \r]/

/** A prefix of `interimStart`. */
const incompleteStart = /^(?:H|HT|HTT|HTTP|HTTP\/|HTTP\/1|HTTP\/1\.|HTTP\/1\.[01](?: (?:1\d{0,2})?)?)$/

/**
 * The status if the bytes start with an interim response, `'incomplete'` if that depends on the next bytes, `undefined` if
 * they start with something else.
 */
const interimStatus = (bytes: Buffer): string | undefined => {
  // The first check decides almost every response. The others create a string.
  if (bytes.length > statusAt && bytes[statusAt] !== one) return undefined
  const start = bytes.toString('latin1', 0, statusAt + 4)
  return interimStart.exec(start)?.[1] ?? (incompleteStart.test(start) ? 'incomplete' : undefined)
}
