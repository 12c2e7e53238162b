import type { Socket as TcpSocket } from 'node:net'
import { Duplex } from 'node:stream'

/** Looks at the payload of a text frame in place, and returns whether nothing more needs to be done with it. */
export type Offer = (bytes: Uint8Array, start: number, end: number) => boolean

const headersEnd = Buffer.from('\r\n\r\n')

const nothing = Buffer.alloc(0)

/**
 * Stands between the TCP or TLS socket and `ws`, and takes out the text frames that somebody has a short way for;
 * every other byte goes on to `ws` untouched and in order. Why it is right:
 *
 * - It only ever takes a whole frame that lies in one piece: final, unfragmented, unmasked, uncompressed, of a length
 *   that is allowed, while no message is half said. All else is handed on.
 * - It takes nothing while `ws` has yet to read what was handed on before, so that the order is kept.
 * - It keeps to the frames' bounds by their lengths. What it does not understand, and a close frame, is the end of its
 *   work: from there on it only hands on.
 */
export class FrameLane extends Duplex {
  private state: 'handshake' | 'frames' | 'over' = 'handshake'
  /** How much of a frame that was begun in an earlier piece is yet to come, in bytes. */
  private rest = 0
  /** The first bytes of a header whose others are yet to come. */
  private held: Buffer = nothing
  /** Whether a message of several frames is under way. */
  private halfSaid = false

  constructor(
    private readonly raw: TcpSocket,
    private readonly maxFrameBytes: number,
    private readonly offer: Offer,
  ) {
    super({ allowHalfOpen: false })
    raw.on('data', (piece: Buffer) => this.receive(piece))
    raw.on('end', () => {
      this.handOn(this.held, 0, this.held.length)
      this.push(null)
    })
    raw.on('error', (error) => this.destroy(error))
    raw.on('close', () => this.destroy())
  }

  setNoDelay(noDelay?: boolean): void {
    this.raw.setNoDelay(noDelay)
  }

  override _read(): void {
    this.raw.resume()
  }

  override _write(data: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.raw.write(data, done)
  }

  override _writev(
    pieces: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    this.raw.write(Buffer.concat(pieces.map(({ chunk }) => chunk)), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.raw.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.raw.closed) return done(error)
    this.raw.once('close', () => done(error))
    this.raw.destroy()
  }

  private receive(piece: Buffer): void {
    const bytes = this.held.length === 0 ? piece : Buffer.concat([this.held, piece])
    this.held = nothing
    if (this.state === 'handshake') this.passHandshake(bytes)
    else this.walk(bytes, 0)
  }

  private passHandshake(bytes: Buffer): void {
    const end = bytes.indexOf(headersEnd)
    // The end may be cut in two.
    const sure = end < 0 ? Math.max(0, bytes.length - headersEnd.length + 1) : end + headersEnd.length
    this.handOn(bytes, 0, sure)
    if (end < 0) this.held = bytes.subarray(sure)
    else {
      this.state = 'frames'
      this.walk(bytes, sure)
    }
  }

  /** From frame to frame: `from` is the first byte that was neither taken nor handed on. */
  private walk(bytes: Buffer, start: number): void {
    let from = start
    let at = Math.min(start + this.rest, bytes.length)
    this.rest -= at - start
    while (this.state === 'frames' && at < bytes.length) {
      const size = headerSize(bytes, at)
      if (at + size > bytes.length) {
        this.held = bytes.subarray(at)
        return this.handOn(bytes, from, at)
      }
      const payload = at + size
      const end = payload + payloadSize(bytes, at)
      if (!this.understands(bytes, at, end)) break
      if (bytes[at] === finalText && end <= bytes.length && end - payload <= this.maxFrameBytes) {
        this.handOn(bytes, from, at)
        from = this.takes(bytes, payload, end) ? end : at
        if (this.destroyed) return
      }
      this.rest = Math.max(0, end - bytes.length)
      at = end
    }
    this.handOn(bytes, from, bytes.length)
  }

  private takes(bytes: Buffer, payload: number, end: number): boolean {
    const isRead = this.readableFlowing === true && this.readableLength === 0
    return isRead && this.offer(bytes, payload, end)
  }

  /** Whether it is clear what follows after this frame, and that frames follow. */
  private understands(bytes: Buffer, at: number, end: number): boolean {
    const first = bytes.readUInt8(at)
    const isFinal = (first & 0x80) !== 0
    const opcode = first & 0x0f
    const isControl = opcode === ping || opcode === pong
    const isContinued = opcode === continuation && this.halfSaid
    const isBegun = (opcode === text || opcode === binary) && !this.halfSaid
    const isPlain = (first & 0x70) === 0 && (bytes.readUInt8(at + 1) & 0x80) === 0
    if (!isPlain || !Number.isSafeInteger(end) || !((isControl && isFinal) || isContinued || isBegun)) {
      this.state = 'over'
      return false
    }
    if (!isControl) this.halfSaid = !isFinal
    return true
  }

  private handOn(bytes: Buffer, from: number, to: number): void {
    if (to > from && !this.push(bytes.subarray(from, to))) this.raw.pause()
  }
}

// Section 5.2 of RFC 6455.
const continuation = 0x0
const text = 0x1
const binary = 0x2
const ping = 0x9
const pong = 0xa
const finalText = 0x81

/** Of a frame without a mask: two bytes, and a longer length where these say so. At least one byte must be there. */
const headerSize = (bytes: Buffer, at: number): number => {
  const length = at + 1 < bytes.length ? bytes.readUInt8(at + 1) & 0x7f : 0
  return length < 126 ? 2 : length === 126 ? 4 : 10
}

const payloadSize = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt8(at + 1) & 0x7f
  if (length < 126) return length
  return length === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}
