// The lower bound for clients of the public message API of `ws`: counts frames.
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'
import { opened } from '../support/service-protocol.mjs'

candidate(async ({ url, onFrames }) => {
  const ws = new WebSocket(url, { perMessageDeflate: false })
  ws.on('message', () => onFrames(1))
  await opened(ws)
})
