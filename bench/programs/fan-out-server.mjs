// Passes prices on to consumers over WebSockets: through a gateway, or by a hand-written loop.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { WebSocketServer } from 'ws'
import { createClient } from '../node_modules/.build/index.js'
import { startGateway } from '../node_modules/.build/gateway/index.js'
import { handleRequests } from '../process/handle-requests.mjs'
import { createService } from '../process/service-transport.mjs'
import { heapBytes } from '../process/heap-bytes.mjs'

const startThroughGateway = async () => {
  const service = createService()
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://localhost:1',
    webSocket: service,
  })
  const { priceWsUrl } = await startGateway(client)
  return { url: priceWsUrl, publish: service.publish }
}

const startByHand = async () => {
  const server = createServer()
  const clients = new Set()
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  sockets.on('connection', (socket) => {
    clients.add(socket)
    socket.on('message', (data) => socket.send(JSON.stringify({ subscriptions: [JSON.parse(data).topic] })))
    socket.on('close', () => clients.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    publish: (topic, price) => {
      for (const client of clients) client.send(JSON.stringify({ topic, price }))
    },
  }
}

const servers = { gateway: startThroughGateway, 'by hand': startByHand }

let server

handleRequests({
  heapBytes,
  start: async ({ name }) => {
    server = await servers[name]()
    return server.url
  },
  /** Publishes a price of each topic per tick. Returns the CPU time of a tick in µs. */
  run: async ({ topics, ticks, tickMs }) => {
    const cpu = process.cpuUsage()
    for (let tick = 1; tick <= ticks; tick += 1) {
      for (const topic of topics) server.publish(topic, 2_000 + tick / 100)
      await new Promise((resolve) => setTimeout(resolve, tickMs))
    }
    const { user, system } = process.cpuUsage(cpu)
    return (user + system) / ticks
  },
})
