// `rxjs/webSocket` with `multiplex`, as in its documentation: each topic filters all messages.
import { webSocket } from 'rxjs/webSocket'
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'

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
