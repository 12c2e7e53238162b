// A client without a library, with several ways of fan-out to the subscribers of a topic.
import { share, Subject } from 'rxjs'
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'
import { opened, subscribeFrame } from '../support/service-protocol.mjs'

const fanOuts = {
  array: (callback, subscribers) => {
    const callbacks = Array.from({ length: subscribers }, () => callback)
    return (price) => {
      for (const each of callbacks) each(price)
    }
  },
  subject: (callback, subscribers) => {
    const subject = new Subject()
    for (let n = 0; n < subscribers; n += 1) subject.subscribe(callback)
    return (price) => subject.next(price)
  },
  share: (callback, subscribers) => {
    const subject = new Subject()
    const shared = subject.pipe(share())
    for (let n = 0; n < subscribers; n += 1) shared.subscribe(callback)
    return (price) => subject.next(price)
  },
}

candidate(async ({ url, onPrice, fanOut }) => {
  const handlers = new Map()
  const ws = new WebSocket(url, { perMessageDeflate: false })
  ws.on('message', (d) => {
    const m = JSON.parse(d.toString())
    handlers.get(m.topic)?.(m.price)
  })
  await opened(ws)

  return (topics, subscribers) => {
    for (const topic of topics) {
      handlers.set(topic, fanOuts[fanOut](onPrice, subscribers))
      ws.send(subscribeFrame(topic))
    }
  }
})
