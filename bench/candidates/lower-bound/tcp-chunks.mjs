// The lower bound for any WebSocket client on a TCP socket: counts frames by their headers, in the chunks of the socket.
// Supports only the frames of this server: unmasked, unfragmented, shorter than 65 536 bytes.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { candidate } from '../support/candidate.mjs'

candidate(async ({ url, onFrames }) => {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    [
      `GET ${pathname} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  )
  // The server sends frames only on request, so the first data is the whole response.
  await new Promise((resolve) => socket.once('data', resolve))
  const count = createCounter()
  socket.on('data', (chunk) => onFrames(count(chunk)))
})

/** Counts the frames that end in a chunk. A frame may span several chunks. */
const createCounter = () => {
  /** Number of bytes to skip of a frame whose header is read. */
  let remaining = 0
  /** The start of a header that is split between two chunks. */
  let partialHeader = Buffer.alloc(0)

  return (chunk) => {
    let frames = 0
    let at = remaining
    if (remaining > chunk.length) {
      remaining -= chunk.length
      return 0
    }
    if (remaining > 0) frames += 1
    remaining = 0
    if (partialHeader.length > 0) {
      chunk = Buffer.concat([partialHeader, chunk])
      partialHeader = Buffer.alloc(0)
    }
    const { length } = chunk
    while (at < length) {
      if (length - at < 4) {
        partialHeader = chunk.subarray(at)
        break
      }
      const short = chunk[at + 1]
      const end = short < 126 ? at + 2 + short : at + 4 + chunk.readUInt16BE(at + 2)
      if (end > length) {
        remaining = end - length
        break
      }
      frames += 1
      at = end
    }
    return frames
  }
}
