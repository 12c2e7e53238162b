// centrifuge over its JSON protocol, with one channel per topic.
import { Centrifuge } from 'centrifuge'
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'

candidate(async ({ url, onPrice, failed }) => {
  const client = new Centrifuge(url, { websocket: WebSocket })
  client.on('error', ({ error }) => failed(error.message))
  const connected = new Promise((resolve) => client.once('connected', resolve))
  client.connect()
  await connected

  return (topics) => {
    for (const topic of topics) {
      const subscription = client.newSubscription(topic)
      subscription.on('publication', ({ data }) => onPrice(data.price))
      subscription.subscribe()
    }
  }
})
