import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

// A service in its own thread. It goes on while the client's event loop is blocked, and its memory is not the client's.

const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { createServer } = require('node:http')
  const { WebSocketServer } = require('ws')

  const side = { total_quantity: 1, total_quantity_usd: 1 }
  const depth = JSON.stringify({ price: 1, timestamp: 1, buy: side, sell: side })
  const connections = new Map()
  let upgrades = 0
  let requests = 0
  let flushed = 0

  const http = createServer((_request, response) => {
    requests += 1
    response.end(depth)
  })
  const server = new WebSocketServer({ server: http })

  server.on('connection', (socket) => {
    upgrades += 1
    const asked = new Map()
    connections.set(socket, asked)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => connections.delete(socket))
    socket.on('message', (data) => {
      const { method, topic } = JSON.parse(data)
      if (method !== 'subscribe') return asked.delete(topic)
      asked.set(topic, (asked.get(topic) ?? 0) + 1)
      socket.send(JSON.stringify({ subscriptions: [topic] }))
      const sendPrice = () => socket.send(JSON.stringify({ topic, price: 1 }))
      sendPrice()
      if (workerData.tick === undefined) return
      const prices = setInterval(sendPrice, workerData.tick)
      socket.on('close', () => clearInterval(prices))
    })
  })

  const burst = async ({ topic, frames, blanks }) => {
    const padding = ' '.repeat(blanks)
    const [socket] = connections.keys()
    for (let price = 2; price <= frames + 1; price++) {
      const sent = () => (flushed = price - 1)
      socket.send(JSON.stringify({ topic, price }) + padding, sent)
      while (socket.bufferedAmount > 1_000_000) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const orders = {
    report: () => undefined,
    drop: () => connections.forEach((_asked, socket) => socket.terminate()),
    burst: (order) => void burst(order),
  }

  parentPort.on('message', (order) => {
    orders[order.name](order)
    const counts = (asked) => ({ topics: asked.size, most: Math.max(0, ...asked.values()) })
    const open = [...connections.values()].map(counts)
    parentPort.postMessage({ upgrades, requests, flushed, open })
  })
  http.listen(0, '127.0.0.1', () => parentPort.postMessage(http.address().port))
`

type Order =
  | { readonly name: 'report' }
  /** Cuts every connection, without a goodbye. */
  | { readonly name: 'drop' }
  /** Prices 2, 3, … of the topic, each followed by blanks, as fast as the first connection takes them. */
  | { readonly name: 'burst'; readonly topic: string; readonly frames: number; readonly blanks: number }

export interface Report {
  /** How many WebSockets were ever accepted. */
  readonly upgrades: number
  /** How many HTTP requests ever came. */
  readonly requests: number
  /** How many frames of the burst have left the service's process. */
  readonly flushed: number
  /** The WebSockets that are open: the topics on each, and how often the one asked for most was asked for. */
  readonly open: readonly { readonly topics: number; readonly most: number }[]
}

export interface ServiceThread {
  /** Addresses of the service, as a client takes them. */
  readonly addresses: {
    readonly baseUrl: string
    readonly priceBaseUrl: string
    readonly priceWsUrl: string
    readonly authKey: string
  }
  /** Gives an order, and tells how things stand. */
  readonly tell: (order: Order) => Promise<Report>
  readonly close: () => Promise<void>
}

export interface ServiceThreadOptions {
  /** Interval of a topic's prices after the first, in ms. Default: only one price. */
  readonly tick?: number
}

export const startServiceThread = async ({ tick }: ServiceThreadOptions = {}): Promise<ServiceThread> => {
  const worker = new Worker(program, { eval: true, workerData: { tick } })
  const [port] = (await once(worker, 'message')) as [number]
  let latest: Promise<unknown> = Promise.resolve()

  const ask = async (order: Order): Promise<Report> => {
    worker.postMessage(order)
    const [report] = (await once(worker, 'message')) as [Report]
    return report
  }
  const base = `http://127.0.0.1:${port}`
  return {
    addresses: { baseUrl: base, priceBaseUrl: base, priceWsUrl: `ws://127.0.0.1:${port}`, authKey: 'AAEC' },
    tell: (order) => {
      // One at a time: an answer does not say to what.
      const report = latest.then(() => ask(order))
      latest = report
      return report
    },
    close: async () => {
      await worker.terminate()
    },
  }
}
