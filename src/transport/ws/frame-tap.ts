import type { OnReadOpts, Socket as TcpSocket } from 'node:net'
import { Duplex } from 'node:stream'
import {
  finalText,
  headerSize,
  isFinal,
  isFragmentedAfter,
  isUnderstood,
  payloadSize,
} from './frame-header.js'

/**
 * Looks at the payload of a text frame in place, and returns whether nothing more needs to be done with it. What it
 * takes must be valid text: nobody else looks at it.
 */
export type OnTextFrame = (bytes: Uint8Array, start: number, end: number) => boolean

const agreed = 'HTTP/1.1 101 '
const headersEnd = Buffer.from('\r\n\r\n')

const noBytes = Buffer.alloc(0)

/** How much is read at once at the most, in bytes: as much as Node reads by itself. */
const readSize = 65_536

/**
 * Stands between the TCP or TLS socket and `ws`, and takes out the text frames that somebody has a short way for;
 * every other byte goes on to `ws` untouched and in order. Why it is right:
 *
 * - It only ever takes a whole frame that lies in one piece: final, unmasked, uncompressed, short, while no message of
 *   several frames is under way. All else is handed on.
 * - It takes nothing while `ws` has yet to read what was handed on before, so that the order is kept.
 * - It keeps to the frames' bounds by their lengths. What it does not understand, and a close frame, is the end of its
 *   work: from there on it only hands on.
 * - It has the socket read into one piece of memory, again and again: memory of its own for each piece would cost more
 *   than the prices in it, and would have to be collected. So what is kept or handed on is a copy.
 */
export class FrameTap extends Duplex {
  private state: 'handshake' | 'frames' | 'over' = 'handshake'
  /** How the answer to the upgrade begins. */
  private answer = ''
  /** How much of a frame that was begun in an earlier piece is yet to come, in bytes. */
  private remainingBytes = 0
  /** The first bytes of what is only clear with those that are yet to come. */
  private carry: Buffer = noBytes
  /** Whether a message of several frames is under way. */
  private fragmented = false
  /** Whether all that was handed on is known to have been read. */
  private isRead = false
  private isDestroyed = false
  private readonly raw: TcpSocket
  /** What was read last. */
  private readonly memory = Buffer.allocUnsafeSlow(readSize)
  /** The longest payload that is taken, in bytes: of a frame whose header is of two. */
  private readonly longest: number

  constructor(
    connect: (onread: OnReadOpts) => TcpSocket,
    maxFrameBytes: number,
    private readonly onTextFrame: OnTextFrame,
    /** Told of each piece of a message that others follow: `ws` says nothing of a message before its end. */
    private readonly onFragment: () => void,
  ) {
    super({ allowHalfOpen: false })
    this.longest = Math.min(maxFrameBytes, 125)
    const raw = connect({ buffer: this.memory, callback: (length) => this.receive(length) })
    this.raw = raw
    raw.on('end', () => {
      this.forward(this.carry, 0, this.carry.length)
      this.push(null)
    })
    raw.on('error', (error) => this.destroy(error))
    raw.on('close', () => this.destroy())
  }

  setNoDelay(noDelay?: boolean): void {
    this.raw.setNoDelay(noDelay)
  }

  override pause(): this {
    this.isRead = false
    return super.pause()
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
    this.isDestroyed = true
    if (this.raw.closed) return done(error)
    this.raw.once('close', () => done(error))
    this.raw.destroy()
  }

  /** So many bytes have been read. Returns true: it is by `pause` that the socket is stopped. */
  private receive(length: number): boolean {
    const begun = this.carry
    const bytes = begun.length === 0 ? this.memory : Buffer.concat([begun, this.memory.subarray(0, length)])
    const end = begun.length + length
    this.carry = noBytes
    try {
      if (this.state === 'handshake') this.passHandshake(bytes.subarray(0, end))
      else this.walk(bytes, 0, end)
    } catch (thrown) {
      // What is left of the piece is lost, and with it where the next frame begins.
      this.destroy()
      throw thrown
    }
    return true
  }

  /** Nothing is taken before the answer to the upgrade has been read, nor after one that does not agree. */
  private passHandshake(bytes: Buffer): void {
    const found = bytes.indexOf(headersEnd)
    const end = found < 0 ? bytes.length - cutOff(headersEnd, bytes) : found + headersEnd.length
    this.answer = (this.answer + bytes.toString('latin1', 0, end)).slice(0, agreed.length)
    this.forward(bytes, 0, end)
    if (found < 0) this.keep(bytes, end, bytes.length)
    else {
      this.state = this.answer === agreed ? 'frames' : 'over'
      this.walk(bytes, end, bytes.length)
    }
  }

  /** From frame to frame: `from` is the first byte that was neither taken nor handed on. */
  private walk(bytes: Buffer, start: number, end: number): void {
    let from = start
    let at = Math.min(start + this.remainingBytes, end)
    this.remainingBytes -= at - start
    while (this.state === 'frames' && at < end) {
      const length = bytes[at + 1] ?? Infinity
      const next = at + 2 + length
      if (bytes[at] === finalText && !this.fragmented && length <= this.longest && next <= end) {
        this.forward(bytes, from, at)
        from = this.consumes(bytes, at + 2, next) ? next : at
        if (this.isDestroyed) return
        at = next
      } else {
        const following = this.follow(bytes, at, end)
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

  private consumes(bytes: Buffer, start: number, end: number): boolean {
    this.isRead ||= this.readableFlowing === true && this.readableLength === 0
    return this.isRead && !this.isDestroyed && this.onTextFrame(bytes, start, end)
  }

  /** Where the next frame begins, or `undefined` where the header of this one is cut. */
  private follow(bytes: Buffer, at: number, end: number): number | undefined {
    if (at + 2 > end) return undefined
    const first = bytes.readUInt8(at)
    if (!isUnderstood(first, bytes.readUInt8(at + 1), this.fragmented)) {
      this.state = 'over'
      return at
    }
    const size = headerSize(bytes, at)
    if (at + size > end) return undefined
    this.fragmented = isFragmentedAfter(first, this.fragmented)
    if (!isFinal(first)) this.onFragment()
    return at + size + payloadSize(bytes, at)
  }

  private keep(bytes: Buffer, from: number, to: number): void {
    this.carry = Buffer.from(bytes.subarray(from, to))
  }

  private forward(bytes: Buffer, from: number, to: number): void {
    if (to <= from) return
    this.isRead = false
    if (!this.push(Buffer.from(bytes.subarray(from, to)))) this.raw.pause()
  }
}

/** How much of a mark stands at the end of some bytes, where it may be cut. */
const cutOff = (mark: Buffer, bytes: Buffer): number => {
  for (let length = mark.length - 1; length > 0; length--) {
    if (bytes.subarray(-length).equals(mark.subarray(0, length))) return length
  }
  return 0
}
