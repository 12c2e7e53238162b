// Consumers of prices, in a process of their own, so that their cost is not that of the server.
import { WebSocket } from 'ws'
import { handleRequests } from '../process/handle-requests.mjs'

let wanted = 0
let confirmed = 0
let prices = 0

handleRequests({
  connect: async ({ url, topics, count }) => {
    wanted += count * topics.length
    for (let index = 0; index < count; index += 1) {
      const socket = new WebSocket(url, { perMessageDeflate: false })
      socket.on('open', () => {
        for (const topic of topics) socket.send(JSON.stringify({ method: 'subscribe', topic }))
      })
      socket.on('message', (data) => {
        if (data.includes('"price"')) prices += 1
        else confirmed += 1
      })
    }
    while (confirmed < wanted) await new Promise((resolve) => setTimeout(resolve, 10))
  },
  /** Resolves when this many prices have arrived since the start. */
  received: async ({ total }) => {
    while (prices < total) await new Promise((resolve) => setTimeout(resolve, 10))
    return prices
  },
})
