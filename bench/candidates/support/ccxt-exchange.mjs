// An exchange of ccxt for this service, without the handling of messages.

// The same import as in the exchanges of the package.
const { default: Exchange } = await import('../../node_modules/ccxt/js/src/base/Exchange.js')

export class PriceExchange extends Exchange {
  constructor(url) {
    super({ enableRateLimit: false })
    this.url = url
  }

  /** A promise of the next value. */
  watchPrice(topic) {
    return this.watch(this.url, topic, { method: 'subscribe', topic }, topic)
  }
}
