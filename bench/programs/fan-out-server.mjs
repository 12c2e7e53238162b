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

/** Confirms each topic. */
const startWebSockets = async () => {
  const server = createServer()
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => socket.send(JSON.stringify({ subscriptions: [JSON.parse(data).topic] })))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { sockets, url: `ws://127.0.0.1:${server.address().port}` }
}

const startByHand = async () => {
  const { sockets, url } = await startWebSockets()
  const clients = new Set()
  sockets.on('connection', (socket) => {
    clients.add(socket)
    socket.on('close', () => clients.delete(socket))
  })
  return {
    url,
    publish: (topic, price) => {
      for (const client of clients) client.send(JSON.stringify({ topic, price }))
    },
  }
}

/** Texts are encoded once, and written once to each socket per tick. Their age is unknown, and a slow consumer has no limit. */
const startLowerBound = async () => {
  const { sockets, url } = await startWebSockets()
  const streams = new Set()
  sockets.on('connection', (_, { socket }) => streams.add(socket))
  let frames = []
  const flush = () => {
    const bytes = Buffer.concat(frames)
    frames = []
    for (const stream of streams) stream.write(bytes)
  }
  return {
    url,
    publish: (topic, price) => {
      if (frames.length === 0) process.nextTick(flush)
      const text = Buffer.from(JSON.stringify({ topic, price }))
      frames.push(Buffer.from([0x81, text.length]), text)
    },
  }
}

const servers = { gateway: startThroughGateway, 'by hand': startByHand, 'lower bound': startLowerBound }

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
