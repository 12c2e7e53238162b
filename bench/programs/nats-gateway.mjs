// Passes prices of the service on to consumers over NATS.
import { createClient } from '../node_modules/.build/index.js'
import { startNatsGateway } from '../node_modules/.build/nats/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

handleRequests({
  start: async ({ servers, priceWsUrl, topics }) => {
    const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost:1', priceWsUrl })
    // Otherwise the client would leave the service if other programs on the machine end all sessions.
    for (const topic of topics) client.price$(topic).subscribe()
    await startNatsGateway(client, { servers })
  },
})
