// `ws`, `JSON.parse`, and a `Map` of one handler per topic.
import { WebSocket } from 'ws'
import { opened, subscribeFrame } from '../../candidates/support/service-protocol.mjs'

export const open = async (url) => {
  const handlers = new Map()
  const ws = new WebSocket(url)
  await opened(ws)
  ws.on('message', (data) => {
    const m = JSON.parse(data)
    handlers.get(m.topic)?.(m.price)
  })

  return (topic, { price }) => {
    handlers.set(topic, price)
    ws.send(subscribeFrame(topic))
  }
}
