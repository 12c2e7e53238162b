// The WebSocket client class of ccxt, below its exchanges: it decodes, and calls back with the message,
// from where a handler is found. Its futures are left out: they keep only the last value of a burst.
import { candidate } from './candidate.mjs'

// The package does not export it.
const { default: WsClient } = await import('../node_modules/ccxt/js/src/base/ws/WsClient.js')

const nothing = () => undefined

candidate(async ({ url, onPrice, failed }) => {
  const handlers = new Map()
  const onMessage = (client, message) => {
    handlers.get(message.topic)?.(message.price)
  }
  const client = new WsClient(url, onMessage, (_, error) => failed(error.message), nothing, nothing)
  await client.connect()

  return async (topics) => {
    for (const topic of topics) {
      handlers.set(topic, onPrice)
      await client.send({ method: 'subscribe', topic })
    }
  }
})
