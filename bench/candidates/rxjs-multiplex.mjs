// `rxjs/webSocket` as its documentation shows it for many topics: each filters all messages.
import { webSocket } from 'rxjs/webSocket'
import { WebSocket } from 'ws'
import { candidate } from './candidate.mjs'

candidate(async ({ url, onPrice }) => {
  const socket = webSocket({ url, WebSocketCtor: WebSocket })

  return (topics) => {
    for (const topic of topics) {
      socket
        .multiplex(
          () => ({ method: 'subscribe', topic }),
          () => ({ method: 'unsubscribe', topic }),
          (m) => m.topic === topic,
        )
        .subscribe((m) => onPrice(m.price))
    }
  }
})
