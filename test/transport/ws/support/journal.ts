import type { OnReadOpts, Socket as TcpSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, type ClientOptions } from 'ws'
import { FrameTap, type OnTextFrame } from '../../../../src/transport/ws/frame-tap.js'
import { FakeRaw, type Script } from './fake-raw.js'

export interface Journal {
  /** All events, in order. */
  readonly entries: readonly string[]
  /** The bytes sent to the server, as hex. */
  readonly sent: string
  /** Number of calls of the tap with a frame. */
  readonly calls: number
  /** Number of frames that the tap removed. */
  readonly removed: number
}

/** True if the tap removes a frame with this payload. */
export type Removes = (payload: Buffer) => boolean

export interface Subject {
  /** `undefined`: the raw socket, without a tap. */
  readonly removes: Removes | undefined
  readonly maxFrameBytes: number
  /** Called after each entry. */
  readonly react?: (socket: WebSocket, entry: string) => void
}

/** Without it, masks are random, and the bytes sent cannot be compared. */
const fixedMask = (mask: Buffer): void => void mask.fill(0x5a)

/** In the types of `ws`, a connection is a TCP socket. */
export const optionsFor = (connection: Duplex, maxFrameBytes: number): ClientOptions => ({
  createConnection: () => connection as unknown as TcpSocket,
  perMessageDeflate: false,
  skipUTF8Validation: true,
  maxPayload: maxFrameBytes,
  generateMask: fixedMask,
})

/** Creates a tap over a raw socket. */
export const tapOver = (
  raw: FakeRaw,
  maxFrameBytes: number,
  onTextFrame: OnTextFrame,
  onOtherFrame: () => void = () => undefined,
): FrameTap =>
  new FrameTap(
    (onread) => readingInto(raw, onread) as unknown as TcpSocket,
    maxFrameBytes,
    onTextFrame,
    onOtherFrame,
  )

/**
 * Reads as the operating system does: into the same memory, at most its size at a time. The remainder of a piece is read
 * first, so that each piece ends at the end of a read.
 */
const readingInto = (raw: FakeRaw, onread: OnReadOpts): FakeRaw => {
  const { buffer } = onread
  if (typeof buffer === 'function') throw new Error('expected a fixed buffer')
  return raw.on('data', (piece: Buffer) => {
    let at = 0
    while (at < piece.length) {
      const end = at + ((piece.length - at) % buffer.length || buffer.length)
      const length = piece.copy(buffer, 0, at, end)
      at = end
      onread.callback(length, buffer)
      // Detects a later read of this memory.
      buffer.fill(0x81, 0, length)
    }
  })
}

/**
 * Plays a script to a `ws` WebSocket, with a tap or without, that is terminated after an error, as by the transport.
 * Resolves when socket and connection are closed.
 */
export const journalOf = async (script: Script, subject: Subject): Promise<Journal> => {
  const { removes, maxFrameBytes, react } = subject
  const entries: string[] = []
  let calls = 0
  let removed = 0
  let isOpen = false
  const raw = new FakeRaw(script)

  const onTextFrame: OnTextFrame = (bytes, start, end) => {
    if (socket.readyState === WebSocket.CONNECTING) return false
    calls++
    // A copy, because the memory is valid during this call only.
    const payload = Buffer.from(bytes.subarray(start, end))
    if (!isOpen || socket.isPaused || connection.destroyed) {
      log(`unexpected call: ${payload.toString('hex')}`)
    }
    if (!removes?.(payload)) return false
    removed++
    log(`text ${payload.toString('hex')}`)
    return true
  }

  const connection = removes === undefined ? raw : tapOver(raw, maxFrameBytes, onTextFrame)
  const socket = new WebSocket('ws://service.invalid', optionsFor(connection, maxFrameBytes))
  const log = (entry: string): void => {
    entries.push(entry)
    react?.(socket, entry)
  }

  socket.on('open', () => {
    isOpen = true
    log('open')
  })
  socket.on('message', (data: Buffer, isBinary) => {
    log(`${isBinary ? 'binary' : 'text'} ${data.toString('hex')}`)
  })
  socket.on('ping', (data) => log(`ping ${data.toString('hex')}`))
  socket.on('pong', (data) => log(`pong ${data.toString('hex')}`))
  socket.on('error', (error: Error & { readonly code?: string }) => {
    isOpen = false
    log(`error ${error.code ?? ''} ${error.message}`)
    if (socket.readyState !== WebSocket.CONNECTING) socket.terminate()
  })
  await Promise.all([
    new Promise<void>((resolve) => {
      socket.on('close', (code, reason) => {
        isOpen = false
        log(`close ${code} ${reason.toString('hex')}`)
        resolve()
      })
    }),
    new Promise<void>((resolve) => raw.once('close', resolve)),
  ])
  return { entries, sent: raw.sent(), calls, removed }
}
