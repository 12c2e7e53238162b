import { Duplex } from 'node:stream'
import { acceptOf, agreed } from '../../../support/network/upgrade.js'

/** A piece of what the server sends, as it comes out of the operating system. */
export interface Piece {
  readonly bytes: Buffer
  /** Comes in the same turn of the event loop as the piece before it, as one TLS record may after another. */
  readonly atOnce: boolean
}

/**
 * How the connection goes after the last piece: FIN, FIN once the client has ended its side, RST, or destroyed on this
 * side without any.
 */
export type Ending = 'end' | 'answered' | 'reset' | 'closed'

export interface Script {
  /** What is sent once the upgrade was asked for; `accept` is the value of Sec-WebSocket-Accept. */
  readonly pieces: (accept: string) => readonly Piece[]
  readonly ending: Ending
}

const headersEnd = '\r\n\r\n'

/** The length of every answer that agrees. */
export const agreedLength = agreed(acceptOf('')).length

/**
 * A TCP socket in memory. Like a real one it stops when its reader does not read, ends its side when the other has
 * ended, and tells of errors and of its end later.
 */
export class FakeRaw extends Duplex {
  /** What `setNoDelay` was called with. */
  readonly delays: (boolean | undefined)[] = []
  /** All that was written to it. */
  private readonly heard: Buffer[] = []
  private answerWrite: (done: (error?: Error) => void) => void = (done) => done()
  private upcoming: readonly Piece[] | undefined
  private ending: Ending | undefined
  private next = 0
  private isWanted = false
  private isDue = false
  /** Whether the end of the client's side is all that is waited for. */
  private isAwaited = false

  constructor(script?: Script) {
    super({ allowHalfOpen: false })
    if (script !== undefined) this.once('asked', (accept: string) => this.play(script, accept))
  }

  setNoDelay(noDelay?: boolean): this {
    this.delays.push(noDelay)
    return this
  }

  /** What was written after the request, as hex. */
  sent(): string {
    const all = Buffer.concat(this.heard)
    return all.subarray(all.indexOf(headersEnd) + headersEnd.length).toString('hex')
  }

  /** Plays the script as if the upgrade had been asked for. */
  play(script: Script, accept: string): void {
    this.upcoming = script.pieces(accept)
    this.ending = script.ending
    this.goOn()
  }

  override _read(): void {
    this.isWanted = true
    this.goOn()
  }

  /** What is written from now on fails. */
  failWrites(error: Error): void {
    this.answerWrite = (done) => done(error)
  }

  /** What is written from now on is never done. */
  stallWrites(): void {
    this.answerWrite = () => undefined
  }

  override _write(data: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.heard.push(data)
    if (this.upcoming === undefined && data.includes(headersEnd))
      this.emit('asked', acceptOf(data.toString()))
    this.answerWrite(done)
  }

  override _final(done: () => void): void {
    done()
    if (this.isAwaited) this.push(null)
  }

  /** A real one is gone in a later turn of the event loop. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    setImmediate(() => done(error))
  }

  private goOn(): void {
    if (this.upcoming === undefined || this.isDue) return
    this.isDue = true
    setImmediate(() => {
      this.isDue = false
      this.turn(this.upcoming ?? [])
    })
  }

  /** One turn of the event loop. */
  private turn(pieces: readonly Piece[]): void {
    if (this.destroyed || !this.isWanted) return
    do {
      const piece = pieces[this.next++]
      if (piece === undefined) return this.finish()
      this.isWanted = this.push(piece.bytes)
    } while (this.isWanted && pieces[this.next]?.atOnce === true)
    if (this.isWanted) this.goOn()
  }

  private finish(): void {
    this.isWanted = false
    const isOver = this.ending === 'end' || (this.ending === 'answered' && this.writableFinished)
    if (isOver) this.push(null)
    else if (this.ending === 'answered') this.isAwaited = true
    else if (this.ending === 'reset') this.destroy(econnreset())
    else this.destroy()
  }
}

export const econnreset = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
