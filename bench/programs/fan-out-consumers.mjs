// Consumers of prices, in a process of their own, so that their cost is not that of the server.
import { WebSocket } from 'ws'
import { handleRequests } from '../process/handle-requests.mjs'

/** The longest wait for a further price, in ms. */
const patience = 3_000

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
  /**
   * The number of prices since the start: once it is `total`, or once none has arrived for a while. A gateway drops prices if
   * its consumers are slow.
   */
  received: async ({ total }) => {
    let [last, arrivedAt] = [prices, performance.now()]
    while (prices < total && performance.now() - arrivedAt < patience) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      if (prices > last) [last, arrivedAt] = [prices, performance.now()]
    }
    return prices
  },
})
