// A client without a library: a `Map` of handlers. The other candidates are compared with it.
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'
import { opened, subscribeFrame } from '../support/service-protocol.mjs'

candidate(async ({ url, onPrice }) => {
  const handlers = new Map()
  const ws = new WebSocket(url, { perMessageDeflate: false })
  ws.on('message', (d) => {
    const m = JSON.parse(d.toString())
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
