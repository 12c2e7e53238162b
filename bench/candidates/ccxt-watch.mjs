// ccxt as its users have it: an exchange whose `watch…` method gives a promise of the next value, awaited in a loop
// for each topic.
import { candidate } from './candidate.mjs'

// As each exchange of the package imports it.
const { default: Exchange } = await import('../node_modules/ccxt/js/src/base/Exchange.js')

class Prices extends Exchange {
  constructor(url) {
    super({ enableRateLimit: false })
    this.url = url
  }

  watchPrice(topic) {
    return this.watch(this.url, topic, { method: 'subscribe', topic }, topic)
  }

  handleMessage(client, message) {
    if (message.price === undefined) return
    // Of two values before the loop has come round, the second is lost: here, no topic comes twice in one chunk.
    if (client.futures[message.topic] === undefined) throw new Error('nobody waited for a price')
    client.resolve(message, message.topic)
  }
}

candidate(async ({ url, onPrice, failed }) => {
  const prices = new Prices(url)
  const watch = async (topic) => {
    for (;;) onPrice((await prices.watchPrice(topic)).price)
  }
  // Asked for by the package where a socket is without TLS.
  await prices.loadHttpProxyAgent()
  // The first call connects; it is done before topics are asked for, as with the others.
  await prices.client(url).connect()

  return (topics) => {
    for (const topic of topics) watch(topic).catch((error) => failed(error.message))
  }
})
