// By hand, where each handler keeps its last message.
import { WebSocket } from 'ws'
import { candidate } from './candidate.mjs'
import { opened, subscribeFrame } from './wire.mjs'

candidate(async ({ url, onPrice }) => {
  const handlers = new Map()
  const kept = []
  const ws = new WebSocket(url, { perMessageDeflate: false })
  ws.on('message', (d) => {
    const m = JSON.parse(d.toString())
    handlers.get(m.topic)?.(m)
  })
  await opened(ws)

  return (topics) => {
    topics.forEach((topic, index) => {
      handlers.set(topic, (message) => {
        kept[index] = message
        onPrice(message.price)
      })
      ws.send(subscribeFrame(topic))
    })
  }
})
