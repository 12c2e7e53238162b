// Passes prices of the service on to consumers over NATS.
import { createClient } from '../node_modules/.build/index.js'
import { startNatsGateway } from '../node_modules/.build/nats/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

handleRequests({
  start: async ({ servers, priceWsUrl }) => {
    const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost:1', priceWsUrl })
    await startNatsGateway(client, { servers })
  },
})
