import type { OnReadOpts, Socket as TcpSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, type ClientOptions } from 'ws'
import { FrameTap, type OnTextFrame } from '../../../../src/transport/ws/frame-tap.js'
import { FakeRaw, type Script } from './fake-raw.js'

export interface Journal {
  /** Everything that was told, in order. */
  readonly entries: readonly string[]
  /** What was sent to the server, as hex. */
  readonly sent: string
  /** How many frames were offered, and how many of them taken. */
  readonly offered: number
  readonly taken: number
}

/** Whether a frame with this content is taken. */
export type Taste = (payload: Buffer) => boolean

export interface Subject {
  /** `undefined`: the raw socket itself, without a lane. */
  readonly taste: Taste | undefined
  readonly maxFrameBytes: number
  /** Called after each entry. */
  readonly react?: (socket: WebSocket, entry: string) => void
}

/** Masks are random otherwise, and what was sent could not be compared. */
const fixedMask = (mask: Buffer): void => void mask.fill(0x5a)

/** In the types of `ws`, a connection is a TCP socket. */
export const optionsFor = (connection: Duplex, maxFrameBytes: number): ClientOptions => ({
  createConnection: () => connection as unknown as TcpSocket,
  perMessageDeflate: false,
  skipUTF8Validation: true,
  maxPayload: maxFrameBytes,
  generateMask: fixedMask,
})

/** The one place where the tests make a lane. */
export const laneOver = (
  raw: FakeRaw,
  maxFrameBytes: number,
  offer: OnTextFrame,
  passed: () => void = () => undefined,
): FrameTap =>
  new FrameTap((onread) => readingInto(raw, onread) as unknown as TcpSocket, maxFrameBytes, offer, passed)

/**
 * As the operating system does: all that comes is put into the same memory, as much as it holds at a time. What is over
 * that comes first, so that how a piece ends is how a read ends.
 */
const readingInto = (raw: FakeRaw, onread: OnReadOpts): FakeRaw => {
  const { buffer } = onread
  if (typeof buffer === 'function') throw new Error('expected memory that stays the same')
  return raw.on('data', (piece: Buffer) => {
    let at = 0
    while (at < piece.length) {
      const end = at + ((piece.length - at) % buffer.length || buffer.length)
      const length = piece.copy(buffer, 0, at, end)
      at = end
      onread.callback(length, buffer)
      // Whoever looks at it later sees this.
      buffer.fill(0x81, 0, length)
    }
  })
}

/**
 * Plays a script to a `ws` WebSocket, over a lane or not, that ends after an error like that of the transport.
 * Resolves when socket and connection are gone.
 */
export const journalOf = async (script: Script, subject: Subject): Promise<Journal> => {
  const { taste, maxFrameBytes, react } = subject
  const entries: string[] = []
  let offered = 0
  let taken = 0
  let mayOffer = false
  const raw = new FakeRaw(script)

  const offer: OnTextFrame = (bytes, start, end) => {
    if (socket.readyState === WebSocket.CONNECTING) return false
    offered++
    // A copy: the memory is good for this call alone.
    const payload = Buffer.from(bytes.subarray(start, end))
    if (!mayOffer || socket.isPaused || connection.destroyed) {
      tell(`offered out of time: ${payload.toString('hex')}`)
    }
    if (!taste?.(payload)) return false
    taken++
    tell(`text ${payload.toString('hex')}`)
    return true
  }

  const connection = taste === undefined ? raw : laneOver(raw, maxFrameBytes, offer)
  const socket = new WebSocket('ws://service.invalid', optionsFor(connection, maxFrameBytes))
  const tell = (entry: string): void => {
    entries.push(entry)
    react?.(socket, entry)
  }

  socket.on('open', () => {
    mayOffer = true
    tell('open')
  })
  socket.on('message', (data: Buffer, isBinary) => {
    tell(`${isBinary ? 'binary' : 'text'} ${data.toString('hex')}`)
  })
  socket.on('ping', (data) => tell(`ping ${data.toString('hex')}`))
  socket.on('pong', (data) => tell(`pong ${data.toString('hex')}`))
  socket.on('error', (error: Error & { readonly code?: string }) => {
    mayOffer = false
    tell(`error ${error.code ?? ''} ${error.message}`)
    if (socket.readyState !== WebSocket.CONNECTING) socket.terminate()
  })
  await Promise.all([
    new Promise<void>((resolve) => {
      socket.on('close', (code, reason) => {
        mayOffer = false
        tell(`close ${code} ${reason.toString('hex')}`)
        resolve()
      })
    }),
    new Promise<void>((resolve) => raw.once('close', resolve)),
  ])
  return { entries, sent: raw.sent(), offered, taken }
}
