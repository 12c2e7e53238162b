// A socket that reconnects by itself, with `JSON.parse` and a `Map` of one handler per topic. Subscribes again to all
// topics whenever the socket opens, as its documentation recommends.
import { WebSocket } from 'ws'
import { subscribeFrame } from '../../../candidates/support/service-protocol.mjs'

export const openReconnecting = async (ReconnectingSocket, url) => {
  const observers = new Map()
  const ws = new ReconnectingSocket(url, [], { WebSocket })
  ws.addEventListener('message', ({ data }) => {
    const m = JSON.parse(data)
    observers.get(m.topic)?.price(m.price)
  })
  ws.addEventListener('open', () => {
    for (const topic of observers.keys()) ws.send(subscribeFrame(topic))
  })
  ws.addEventListener('close', ({ code }) => {
    for (const { event } of observers.values()) event(`close ${code}`)
  })
  ws.addEventListener('error', () => {
    for (const { event } of observers.values()) event('error')
  })

  return (topic, observer) => {
    observers.set(topic, observer)
    if (ws.readyState === WebSocket.OPEN) ws.send(subscribeFrame(topic))
  }
}
