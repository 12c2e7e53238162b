// Consumers of prices, in a process of their own, so that their cost is not that of the server.
import { WebSocket } from 'ws'
import { handleRequests } from '../process/handle-requests.mjs'

/** The longest wait for a further price, in ms. */
const patience = 3_000

/** The number of consumers that connect at the same time: a busy server refuses those that wait too long. */
const groupSize = 100

let wanted = 0
let confirmed = 0
let prices = 0

const connect = (url, topics) => {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  socket.on('open', () => {
    for (const topic of topics) socket.send(JSON.stringify({ method: 'subscribe', topic }))
  })
  socket.on('message', (data) => {
    if (data.includes('"price"')) prices += 1
    else confirmed += 1
  })
}

handleRequests({
  connect: async ({ url, topics, count }) => {
    for (let index = 0; index < count; index += 1) {
      wanted += topics.length
      connect(url, topics)
      if ((index + 1) % groupSize > 0 && index + 1 < count) continue
      while (confirmed < wanted) await new Promise((resolve) => setTimeout(resolve, 10))
    }
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
