// The limit of what a WebSocket client can be on this socket: frames are counted by walking from header to header
// within the chunks as TCP gives them. It takes the server's frames only: unmasked, whole, shorter than 65 536 bytes.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { candidate } from './candidate.mjs'

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
  // The server sends nothing behind its answer before it is told to.
  await new Promise((resolve) => socket.once('data', resolve))
  const count = createCounter()
  socket.on('data', (chunk) => onFrames(count(chunk)))
})

/** Counts the frames that end in a chunk. Bytes of a frame that does not are waited for. */
const createCounter = () => {
  /** What is left to pass over of a frame whose length is known. */
  let left = 0
  /** The beginning of a header that a chunk's end has cut. */
  let cut = Buffer.alloc(0)

  return (chunk) => {
    let frames = 0
    let at = left
    if (left > chunk.length) {
      left -= chunk.length
      return 0
    }
    if (left > 0) frames += 1
    left = 0
    if (cut.length > 0) {
      chunk = Buffer.concat([cut, chunk])
      cut = Buffer.alloc(0)
    }
    const { length } = chunk
    while (at < length) {
      if (length - at < 4) {
        cut = chunk.subarray(at)
        break
      }
      const short = chunk[at + 1]
      const end = short < 126 ? at + 2 + short : at + 4 + chunk.readUInt16BE(at + 2)
      if (end > length) {
        left = end - length
        break
      }
      frames += 1
      at = end
    }
    return frames
  }
}
