import type { OnReadOpts, Socket as TcpSocket } from 'node:net'
import { Duplex } from 'node:stream'
import type { SocketListener } from '../ports.js'

/**
 * `bytes` is called with the payload of a text frame, in place: `ws` does not receive a frame that it has handled. It must
 * return false for a payload that is not valid UTF-8. `alive` is called for each non-final frame, because `ws` emits no event
 * before the end of a message.
 */
export type TapListener = Pick<SocketListener, 'bytes' | 'alive'>

const noBytes = Buffer.alloc(0)

/** Size of the read buffer, in bytes: the size of Node's own reads. */
const readSize = 65_536

/**
 * A stream between the TCP or TLS socket and `ws` that removes the text frames which its listener handles. It forwards
 * every other byte to `ws`, unchanged and in order. Why it is correct:
 *
 * - It removes only a whole frame within one read: final, unmasked, uncompressed, short, and not inside a fragmented
 *   message.
 * - It removes nothing while `ws` has unread bytes, so that the order of events is kept.
 * - It finds the start of each frame by the length of the one before. After a close frame, or a frame that breaks the
 *   protocol, it only forwards.
 *
 * The socket reads into one buffer again and again, because a new buffer for each read costs more than the prices in it.
 * Therefore bytes that are kept or forwarded are copied.
 *
 * It emits `connect` and `secureConnect` when its socket does.
 */
export class FrameTap extends Duplex {
  private state: 'handshake' | 'frames' | 'passthrough' = 'handshake'
  /** The beginning of the status line, during the handshake. */
  private status = ''
  /** Bytes of the current frame that have not arrived yet. */
  private remainingBytes = 0
  /** The last bytes of a read that cannot be decided without the next read, such as a part of a header. */
  private carry: Buffer = noBytes
  /** True inside a fragmented message. */
  private fragmented = false
  /** True if `ws` is known to have read all forwarded bytes. */
  private isDrained = false
  private isDestroyed = false
  private readonly socket: TcpSocket
  private readonly readBuffer = Buffer.allocUnsafeSlow(readSize)
  /** Maximum payload of a removed frame, in bytes. Up to 125, the header has two bytes. */
  private readonly maxPayload: number

  constructor(
    connect: (onread: OnReadOpts) => TcpSocket,
    maxFrameBytes: number,
    private readonly listener: TapListener,
  ) {
    super({ allowHalfOpen: false })
    this.maxPayload = Math.min(maxFrameBytes, 125)
    const socket = connect({ buffer: this.readBuffer, callback: (length) => this.receive(length) })
    this.socket = socket
    for (const event of ['connect', 'secureConnect']) socket.once(event, () => this.emit(event))
    socket.on('end', () => {
      this.forward(this.carry, 0, this.carry.length)
      this.push(null)
    })
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  setNoDelay(noDelay?: boolean): void {
    this.socket.setNoDelay(noDelay)
  }

  override pause(): this {
    this.isDrained = false
    return super.pause()
  }

  override _read(): void {
    this.socket.resume()
  }

  override _write(data: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.writeToSocket(data, done)
  }

  override _writev(
    pieces: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    this.writeToSocket(Buffer.concat(pieces.map(({ chunk }) => chunk)), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.isDestroyed = true
    if (this.socket.closed) return done(error)
    this.socket.once('close', () => done(error))
    this.socket.destroy()
  }

  /** After a failed write the socket fails or closes. Bun reports the write first, and the reason after it. */
  private writeToSocket(data: Buffer, done: () => void): void {
    this.socket.write(data, (error) => {
      if (error === undefined || error === null) done()
    })
  }

  /** Handles a read of `length` bytes. Returns true, which keeps the socket reading; `forward` pauses it. */
  private receive(length: number): boolean {
    const { carry, readBuffer } = this
    const bytes = carry.length === 0 ? readBuffer : Buffer.concat([carry, readBuffer.subarray(0, length)])
    const end = carry.length + length
    this.carry = noBytes
    try {
      if (this.state === 'handshake') this.passHandshake(bytes.subarray(0, end))
      else this.scan(bytes, 0, end)
    } catch (thrown) {
      // The rest of the read is lost, and with it the start of the next frame.
      this.destroy()
      throw thrown
    }
    return true
  }

  /** Forwards the response to the upgrade, after any interim responses. After one other than 101, no frames follow. */
  private passHandshake(bytes: Buffer): void {
    let found = 0
    let at = 0
    while (found >= 0) {
      found = bytes.indexOf(headersEnd, at)
      // The empty line after the headers may arrive in two reads.
      const end = found < 0 ? Math.max(at, bytes.length - headersEnd.length + 1) : found + headersEnd.length
      const status = (this.status + bytes.toString('latin1', at, end)).slice(0, accepted.length)
      const isLast = found >= 0 && (status === accepted || !interim.test(status))
      this.status = found < 0 ? status : ''
      at = end
      if (!isLast) continue
      this.state = status === accepted ? 'frames' : 'passthrough'
      this.forward(bytes, 0, at)
      return this.scan(bytes, at, bytes.length)
    }
    this.forward(bytes, 0, at)
    this.keep(bytes, at, bytes.length)
  }

  /** Scans frame by frame. `from` is the first byte that is neither removed nor forwarded. */
  private scan(bytes: Buffer, start: number, end: number): void {
    let from = start
    let at = Math.min(start + this.remainingBytes, end)
    this.remainingBytes -= at - start
    while (this.state === 'frames' && at < end) {
      // Without a second byte, `next` is after `end` for any length. Not `Infinity`: Bun would then compute positions as
      // doubles, here and in `bytes`, and a price would cost about five times the CPU time.
      const length = bytes[at + 1] ?? 0
      const next = at + 2 + length
      if (bytes[at] === finalText && !this.fragmented && length <= this.maxPayload && next <= end) {
        this.forward(bytes, from, at)
        from = this.consume(bytes, at + 2, next) ? next : at
        if (this.isDestroyed) return
        at = next
      } else {
        const following = this.skipFrame(bytes, at, end)
        if (following === undefined) {
          this.keep(bytes, at, end)
          return this.forward(bytes, from, at)
        }
        this.remainingBytes = Math.max(0, following - end)
        at = following
      }
    }
    this.forward(bytes, from, end)
  }

  /** Returns true if the frame may be removed and the listener has handled it. */
  private consume(bytes: Buffer, start: number, end: number): boolean {
    this.isDrained ||= this.readableFlowing === true && this.readableLength === 0
    return this.isDrained && !this.isDestroyed && this.listener.bytes(bytes, start, end)
  }

  /** Returns the start of the next frame, or `undefined` if the header is incomplete. */
  private skipFrame(bytes: Buffer, at: number, end: number): number | undefined {
    if (at + 2 > end) return undefined
    const first = bytes.readUInt8(at)
    if (!isSkippable(first, bytes.readUInt8(at + 1), this.fragmented)) {
      this.state = 'passthrough'
      return at
    }
    const size = headerSize(bytes, at)
    if (at + size > end) return undefined
    this.fragmented = isFragmentedAfter(first, this.fragmented)
    if (!isFinal(first)) this.listener.alive()
    return at + size + payloadSize(bytes, at)
  }

  private keep(bytes: Buffer, from: number, to: number): void {
    this.carry = Buffer.from(bytes.subarray(from, to))
  }

  private forward(bytes: Buffer, from: number, to: number): void {
    if (to <= from) return
    this.isDrained = false
    if (!this.push(Buffer.from(bytes.subarray(from, to)))) this.socket.pause()
  }
}

// The header of a WebSocket frame: section 5.2 of RFC 6455.

const final = 0x80
const reserved = 0x70
const control = 0x08
const masked = 0x80
const continuation = 0x0
const text = 0x1
const binary = 0x2
const ping = 0x9
const pong = 0xa

/** The first byte of a text frame that is a complete message. */
const finalText = final | text

/**
 * True for the first two bytes of a valid frame, other than a close frame, that the service may send at this point.
 * `fragmented`: true inside a fragmented message.
 */
const isSkippable = (first: number, second: number, fragmented: boolean): boolean => {
  const length = second & 0x7f
  if ((first & reserved) !== 0 || (second & masked) !== 0) return false
  switch (first & 0x0f) {
    case ping:
    case pong:
      return isFinal(first) && length <= 125
    case continuation:
      return fragmented
    case text:
    case binary:
      return !fragmented
    default:
      return false
  }
}

/** True if the stream is inside a fragmented message after the frame with this first byte. */
const isFragmentedAfter = (first: number, fragmented: boolean): boolean =>
  (first & control) === 0 ? !isFinal(first) : fragmented

/** True for the first byte of the last frame of a message. */
const isFinal = (first: number): boolean => (first & final) !== 0

/** The size of the header of an unmasked frame, in bytes. */
const headerSize = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt8(at + 1) & 0x7f
  return length < 126 ? 2 : length === 126 ? 4 : 10
}

const payloadSize = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt8(at + 1) & 0x7f
  if (length < 126) return length
  return length === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}

// The HTTP response to the upgrade request.

const accepted = 'HTTP/1.1 101 '
const interim = /^HTTP\/1\.[01] 1/
const headersEnd = Buffer.from('\r\n\r\n')
