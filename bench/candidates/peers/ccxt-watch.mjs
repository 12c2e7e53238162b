// ccxt as in an application: an exchange whose `watch…` method returns a promise of the next value, awaited in one loop
// per topic.
import { candidate } from '../support/candidate.mjs'
import { PriceExchange } from '../support/ccxt-exchange.mjs'

class Prices extends PriceExchange {
  handleMessage(client, message) {
    if (message.price === undefined) return
    // A second value before the next `await` is lost. The server sends no topic twice in one chunk.
    if (client.futures[message.topic] === undefined) throw new Error('a price without a pending promise')
    client.resolve(message, message.topic)
  }
}

candidate(async ({ url, onPrice, failed }) => {
  const prices = new Prices(url)
  const watchForever = async (topic) => {
    for (;;) onPrice((await prices.watchPrice(topic)).price)
  }
  // The package requires it for a socket without TLS.
  await prices.loadHttpProxyAgent()
  // Connects before the first subscription, like the other candidates.
  await prices.client(url).connect()

  return (topics) => {
    for (const topic of topics) watchForever(topic).catch((error) => failed(error.message))
  }
})
