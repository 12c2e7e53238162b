import type { OnReadOpts, Socket as TcpSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ClientOptions } from 'ws'
import { FrameTap, type TapListener } from '../../../../../src/wire/transport/ws/frame-tap.js'
import type { FakeTcpSocket } from './fake-tcp-socket.js'

export type OnTextFrame = TapListener['bytes']

/** A fixed mask, so that the bytes sent are the same in each run. */
const fixedMask = (mask: Buffer): void => void mask.fill(0x5a)

/** The options of a `ws` WebSocket over `connection`. */
export const wsOptions = (connection: Duplex, maxFrameBytes: number): ClientOptions => ({
  // The types of ws require a TCP socket.
  createConnection: () => connection as unknown as TcpSocket,
  perMessageDeflate: false,
  skipUTF8Validation: true,
  maxPayload: maxFrameBytes,
  generateMask: fixedMask,
})

/** Creates a frame tap over a fake socket. */
export const frameTapOver = (
  socket: FakeTcpSocket,
  maxFrameBytes: number,
  onTextFrame: OnTextFrame,
): FrameTap =>
  new FrameTap((onread) => readInto(socket, onread) as unknown as TcpSocket, maxFrameBytes, {
    bytes: onTextFrame,
    alive: () => undefined,
  })

/**
 * Reads as Node does: into the same buffer each time, at most its size at once. The remainder of a piece is read first, so
 * that each piece ends at the end of a read.
 */
const readInto = (socket: FakeTcpSocket, onread: OnReadOpts): FakeTcpSocket => {
  const { buffer } = onread
  if (typeof buffer === 'function') throw new Error('expected a fixed buffer')
  return socket.on('data', (piece: Buffer) => {
    let at = 0
    while (at < piece.length) {
      const end = at + ((piece.length - at) % buffer.length || buffer.length)
      const length = piece.copy(buffer, 0, at, end)
      at = end
      onread.callback(length, buffer)
      // Detects an access to these bytes after the callback.
      buffer.fill(0x81, 0, length)
    }
  })
}
