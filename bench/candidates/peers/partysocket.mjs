import { WebSocket as PartySocket } from 'partysocket'
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'
import { opened, subscribeFrame } from '../support/service-protocol.mjs'

candidate(async ({ url, onPrice }) => {
  const handlers = new Map()
  const ws = new PartySocket(url, [], { WebSocket })
  ws.addEventListener('message', ({ data }) => {
    const m = JSON.parse(data)
    handlers.get(m.topic)?.(m.price)
  })
  await opened(ws)

  return (topics) => {
    for (const topic of topics) {
      handlers.set(topic, onPrice)
      ws.send(subscribeFrame(topic))
    }
  }
})
