import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Answers an upgrade request with a status and a text of one line, and closes the socket. Default: the status's own text. */
export const refuseUpgrade = (
  socket: Duplex,
  status: number,
  body: string = STATUS_CODES[status] ?? 'Unknown',
): void => {
  socket.on('error', () => undefined)
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
