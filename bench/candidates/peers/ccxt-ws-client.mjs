// The WebSocket client class below the exchanges of ccxt. It decodes a message and calls back with it. Its futures are not
// used, because they retain only the last value of a burst.
import { candidate } from '../support/candidate.mjs'

// The package does not export it.
const { default: WsClient } = await import('../../node_modules/ccxt/js/src/base/ws/WsClient.js')

const ignore = () => undefined

candidate(async ({ url, onPrice, failed }) => {
  const handlers = new Map()
  const onMessage = (client, message) => {
    handlers.get(message.topic)?.(message.price)
  }
  const client = new WsClient(url, onMessage, (_, error) => failed(error.message), ignore, ignore)
  await client.connect()

  return async (topics) => {
    for (const topic of topics) {
      handlers.set(topic, onPrice)
      await client.send({ method: 'subscribe', topic })
    }
  }
})
