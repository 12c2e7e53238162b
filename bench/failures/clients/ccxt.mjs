// ccxt as in an application: an exchange whose `watch…` method is awaited in a loop, and called again after an error.
import { PriceExchange } from '../../candidates/support/ccxt-exchange.mjs'

class Prices extends PriceExchange {
  handleMessage(client, message) {
    if (message.topic !== undefined) client.resolve(message, message.topic)
  }
}

export const open = async (url) => {
  const prices = new Prices(url)
  // The package requires it for a socket without TLS.
  await prices.loadHttpProxyAgent()

  return (topic, { price, event }) => {
    const watch = async () => {
      try {
        price((await prices.watchPrice(topic)).price)
      } catch (error) {
        event(error.name)
        await new Promise((resolve) => setTimeout(resolve, 1000))
      }
    }
    const watchForever = async () => {
      for (;;) await watch()
    }
    void watchForever()
  }
}
