// Publishes prices on NATS through a gateway.
import { createClient } from '../node_modules/.build/index.js'
import { startNatsGateway } from '../node_modules/.build/nats/index.js'
import { handleRequests } from '../process/handle-requests.mjs'
import { createService } from '../process/service-transport.mjs'

const service = createService()

handleRequests({
  start: async ({ servers }) => {
    const client = createClient({
      environment: 'testnet',
      priceBaseUrl: 'http://localhost:1',
      webSocket: service,
    })
    await startNatsGateway(client, { servers })
  },
  /** Publishes a price of each topic per tick. Returns the CPU time of a price in µs. */
  run: async ({ topics, ticks, tickMs }) => {
    const cpu = process.cpuUsage()
    for (let tick = 1; tick <= ticks; tick += 1) {
      for (const topic of topics) service.publish(topic, 2_000 + tick / 100)
      await new Promise((resolve) => setTimeout(resolve, tickMs))
    }
    const { user, system } = process.cpuUsage(cpu)
    return (user + system) / ticks / topics.length
  },
})
