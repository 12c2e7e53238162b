// The limit of the public message API of `ws`: nothing is done with a frame but counting it.
import { WebSocket } from 'ws'
import { candidate } from './candidate.mjs'
import { opened } from './wire.mjs'

candidate(async ({ url, onFrames }) => {
  const ws = new WebSocket(url, { perMessageDeflate: false })
  ws.on('message', () => onFrames(1))
  await opened(ws)
})
