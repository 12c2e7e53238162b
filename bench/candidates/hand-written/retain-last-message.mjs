// A client without a library. Each handler retains its last message.
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'
import { opened, subscribeFrame } from '../support/service-protocol.mjs'

candidate(async ({ url, onPrice }) => {
  const handlers = new Map()
  const lastMessages = []
  const ws = new WebSocket(url, { perMessageDeflate: false })
  ws.on('message', (d) => {
    const m = JSON.parse(d.toString())
    handlers.get(m.topic)?.(m)
  })
  await opened(ws)

  return (topics) => {
    topics.forEach((topic, index) => {
      handlers.set(topic, (message) => {
        lastMessages[index] = message
        onPrice(message.price)
      })
      ws.send(subscribeFrame(topic))
    })
  }
})
