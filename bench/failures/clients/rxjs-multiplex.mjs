// `rxjs/webSocket` with `multiplex`, as in its documentation, and a `retry` after each error.
import { retry, tap } from 'rxjs'
import { webSocket } from 'rxjs/webSocket'
import { WebSocket } from 'ws'

export const open = async (url) => {
  const socket = webSocket({ url, WebSocketCtor: WebSocket })

  return (topic, { price, event, end }) => {
    const subscription = socket
      .multiplex(
        () => ({ method: 'subscribe', topic }),
        () => ({ method: 'unsubscribe', topic }),
        (m) => m.topic === topic,
      )
      .pipe(tap({ error: (error) => event(error.name ?? `error, ${error.type}`) }), retry({ delay: 1000 }))
      .subscribe({ next: (m) => price(m.price), complete: () => end('the stream completes') })
    return () => subscription.unsubscribe()
  }
}
