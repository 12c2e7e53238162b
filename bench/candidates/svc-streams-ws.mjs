// The project over ws's message event alone, without the lane below it: its own decoding and sharing, and no more.
import { isRight } from 'fp-ts/lib/Either.js'
import { WebSocket } from 'ws'
import { createClient } from '../node_modules/.build/index.js'
import { candidate } from './candidate.mjs'

/** The port of the project, by ws as everybody uses it. */
const overMessages = {
  dial(url, { maxFrameBytes }, listener) {
    const asTheProject = { perMessageDeflate: false, skipUTF8Validation: true }
    const socket = new WebSocket(url, { ...asTheProject, maxPayload: maxFrameBytes })
    socket.on('open', () => listener.opened())
    socket.on('message', (data) => {
      if (!listener.bytes(data, 0, data.length)) listener.text(data.toString())
    })
    socket.on('pong', () => listener.alive())
    socket.on('error', () => {})
    socket.on('close', (code, reason) => listener.closed(code, reason.toString()))
    return {
      send: (frame) => socket.send(frame),
      ping: () => socket.ping(),
      close: () => socket.close(),
      terminate: () => socket.terminate(),
    }
  },
  close: () => Promise.resolve(),
}

candidate(async ({ url, onPrice, failed }) => {
  const { origin } = new URL(url.replace('ws:', 'http:'))
  const options = { environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url }
  const client = createClient({ ...options, webSocket: overMessages })
  const handler = (event) => {
    if (isRight(event)) onPrice(event.right.price)
    else failed(event.left.message)
  }

  return (topics) => {
    for (const topic of topics) client.price$(topic).subscribe(handler)
  }
})
