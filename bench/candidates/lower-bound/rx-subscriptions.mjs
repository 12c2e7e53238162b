// One RxJS subscription with a teardown per topic, over `ws`: the least that a client with Observables keeps of a topic.
import { Observable } from 'rxjs'
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'
import { opened, subscribeFrame } from '../support/service-protocol.mjs'

candidate(async ({ url, onPrice }) => {
  const subscribers = new Map()
  const ws = new WebSocket(url, { perMessageDeflate: false })
  ws.on('message', (d) => {
    const m = JSON.parse(d.toString())
    subscribers.get(m.topic)?.next(m.price)
  })
  await opened(ws)
  const unsubscribe = () => undefined

  return (topics) => {
    for (const topic of topics) {
      new Observable((subscriber) => {
        subscribers.set(topic, subscriber)
        return { unsubscribe }
      }).subscribe(onPrice)
      ws.send(subscribeFrame(topic))
    }
  }
})
