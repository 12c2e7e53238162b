// `rxjs/webSocket` with a `Map` of one Subject per topic: one lookup per message.
import { Subject } from 'rxjs'
import { webSocket } from 'rxjs/webSocket'
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'

candidate(async ({ url, onPrice }) => {
  const subjects = new Map()
  const socket = webSocket({ url, WebSocketCtor: WebSocket })
  socket.subscribe((m) => subjects.get(m.topic)?.next(m.price))

  return (topics) => {
    for (const topic of topics) {
      const subject = new Subject()
      subject.subscribe(onPrice)
      subjects.set(topic, subject)
      socket.next({ method: 'subscribe', topic })
    }
  }
})
