import { Duplex } from 'node:stream'
import { acceptKeyOf, upgradeResponse } from '../../../../support/network/upgrade.js'

/** The bytes of one read. */
export interface Piece {
  readonly bytes: Buffer
  /** True if it arrives in the same turn of the event loop as the previous piece, as TLS records may. */
  readonly sameTurn: boolean
}

/**
 * The end of the connection after the last piece: FIN, FIN after the FIN of the client, RST, or destroyed locally without
 * either.
 */
export type Ending = 'end' | 'after-client' | 'reset' | 'closed'

/** What a fake socket sends, and how it ends. */
export interface Script {
  /** The bytes sent after the upgrade request; `accept` is the value of Sec-WebSocket-Accept. */
  readonly pieces: (accept: string) => readonly Piece[]
  readonly ending: Ending
}

const headersEnd = '\r\n\r\n'

/** The length of each response that accepts the upgrade, in bytes. */
export const upgradeResponseLength = upgradeResponse(acceptKeyOf('')).length

/**
 * A TCP socket in memory that plays a script. Like a real one, it stops while its reader does not read, ends its side after
 * the client has ended the other, and emits errors and `close` in a later turn of the event loop.
 */
export class FakeTcpSocket extends Duplex {
  /** The arguments of `setNoDelay`. */
  readonly delays: (boolean | undefined)[] = []
  /** All bytes written to it. */
  private readonly written: Buffer[] = []
  private completeWrite: (done: (error?: Error) => void) => void = (done) => done()
  private pieces: readonly Piece[] | undefined
  private ending: Ending | undefined
  private nextIndex = 0
  private isReading = false
  private isScheduled = false
  /** True while the FIN of the client is the only outstanding event. */
  private awaitsClientEnd = false

  constructor(script?: Script) {
    super({ allowHalfOpen: false })
    if (script !== undefined) this.once('upgrade request', (accept: string) => this.play(script, accept))
  }

  setNoDelay(noDelay?: boolean): this {
    this.delays.push(noDelay)
    return this
  }

  /** The bytes written after the upgrade request, as hex. */
  sent(): string {
    const all = Buffer.concat(this.written)
    return all.subarray(all.indexOf(headersEnd) + headersEnd.length).toString('hex')
  }

  /** Plays the script without an upgrade request. */
  play(script: Script, accept: string): void {
    this.pieces = script.pieces(accept)
    this.ending = script.ending
    this.scheduleTurn()
  }

  override _read(): void {
    this.isReading = true
    this.scheduleTurn()
  }

  /** Fails all later writes. */
  failWrites(error: Error): void {
    this.completeWrite = (done) => done(error)
  }

  /** Never completes later writes. */
  stallWrites(): void {
    this.completeWrite = () => undefined
  }

  override _write(data: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.written.push(data)
    if (this.pieces === undefined && data.includes(headersEnd))
      this.emit('upgrade request', acceptKeyOf(data.toString()))
    this.completeWrite(done)
  }

  override _final(done: () => void): void {
    done()
    if (this.awaitsClientEnd) this.push(null)
  }

  /** A real socket closes in a later turn of the event loop. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    setImmediate(() => done(error))
  }

  private scheduleTurn(): void {
    if (this.pieces === undefined || this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.sendPieces(this.pieces ?? [])
    })
  }

  /** Sends the pieces of one turn of the event loop. */
  private sendPieces(pieces: readonly Piece[]): void {
    if (this.destroyed || !this.isReading) return
    do {
      const piece = pieces[this.nextIndex++]
      if (piece === undefined) return this.finish()
      this.isReading = this.push(piece.bytes)
    } while (this.isReading && pieces[this.nextIndex]?.sameTurn === true)
    if (this.isReading) this.scheduleTurn()
  }

  private finish(): void {
    this.isReading = false
    const hasEnded = this.ending === 'end' || (this.ending === 'after-client' && this.writableFinished)
    if (hasEnded) this.push(null)
    else if (this.ending === 'after-client') this.awaitsClientEnd = true
    else if (this.ending === 'reset') this.destroy(econnreset())
    else this.destroy()
  }
}

export const econnreset = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
