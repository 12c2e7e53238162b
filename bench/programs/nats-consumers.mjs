// Consumers of prices over NATS, in a process of their own, so that their cost is not that of the gateway.
import { natsClient } from '../node_modules/.build/nats/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

let prices = 0

handleRequests({
  connect: async ({ servers, topics, count }) => {
    let ready = 0
    for (let index = 0; index < count; index += 1) {
      const client = natsClient({ environment: 'testnet', servers })
      for (const topic of topics)
        client.price$(topic).subscribe(({ _tag }) => _tag === 'Right' && (prices += 1))
      const check = () => client.inspect().topics.every(({ state }) => state === 'live')
      const timer = setInterval(() => {
        if (!check()) return
        clearInterval(timer)
        ready += 1
      }, 20)
    }
    while (ready < count) await new Promise((resolve) => setTimeout(resolve, 10))
  },
  /** The number of prices so far, and the CPU time of this process in µs. */
  received: () => {
    const { user, system } = process.cpuUsage()
    return { prices, cpu: user + system }
  },
})
