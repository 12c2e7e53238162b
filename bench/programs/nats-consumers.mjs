// Consumers of prices in a process of their own, so that their cost is not that of the gateway.
import { createClient } from '../node_modules/.build/index.js'
import { natsClient } from '../node_modules/.build/nats/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

/** The number of clients that connect at the same time: each has 2 s to find a gateway. */
const groupSize = 50

let prices = 0
let failures = 0

const connect = async (clients, topics, isReady) => {
  for (const client of clients) {
    for (const topic of topics) {
      client.price$(topic).subscribe(({ _tag }) => {
        if (_tag === 'Right') prices += 1
        else failures += 1
      })
    }
  }
  while (!clients.every(isReady)) await new Promise((resolve) => setTimeout(resolve, 20))
}

const hasAll = (state) => (client) => client.inspect().topics.every((topic) => topic.state === state)

handleRequests({
  /** Resolves when each topic has a price. `maxLag`: other programs on the machine should not end an epoch. */
  connect: async ({ servers, topics, count }) => {
    for (let index = 0; index < count; index += groupSize) {
      const clients = Array.from({ length: Math.min(groupSize, count - index) }, () =>
        natsClient({ environment: 'testnet', servers, maxLag: 10_000 }),
      )
      await connect(clients, topics, hasAll('live'))
    }
  },
  /** A client of the service itself. Resolves at once, because the service confirms. */
  connectDirect: ({ priceWsUrl, topics }) => {
    const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost:1', priceWsUrl })
    return connect([client], topics, () => true)
  },
  /** The number of prices and of errors so far. */
  received: () => ({ prices, failures }),
})
