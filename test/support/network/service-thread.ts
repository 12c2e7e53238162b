import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

// A service in its own thread. It runs while the client's event loop is blocked, and it does not use the client's heap.

const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { createServer } = require('node:http')
  const { performance } = require('node:perf_hooks')
  const { WebSocketServer } = require('ws')

  const side = { total_quantity: 1, total_quantity_usd: 1 }
  const depth = JSON.stringify({ price: 1, timestamp: 1, buy: side, sell: side })
  const connections = new Map()
  let upgradeCount = 0
  let requestCount = 0
  let sentFrames = 0

  const http = createServer((_request, response) => {
    requestCount += 1
    response.end(depth)
  })
  const server = new WebSocketServer({ server: http })

  server.on('connection', (socket) => {
    upgradeCount += 1
    const subscribeCounts = new Map()
    // One for each topic.
    socket.setMaxListeners(0)
    connections.set(socket, subscribeCounts)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => connections.delete(socket))
    socket.on('message', (data) => {
      const { method, topic } = JSON.parse(data)
      if (method !== 'subscribe') return subscribeCounts.delete(topic)
      subscribeCounts.set(topic, (subscribeCounts.get(topic) ?? 0) + 1)
      socket.send(JSON.stringify({ subscriptions: [topic] }))
      const priceNow = () => (workerData.stamped ? performance.timeOrigin + performance.now() : 1)
      const sendPrice = () => socket.send(JSON.stringify({ topic, price: priceNow() }))
      sendPrice()
      // A probe subscribes again.
      if (workerData.tick === undefined || subscribeCounts.get(topic) > 1) return
      const prices = setInterval(sendPrice, workerData.tick)
      socket.on('close', () => clearInterval(prices))
    })
  })

  const burst = async ({ topic, frames, paddingLength }) => {
    const padding = ' '.repeat(paddingLength)
    const [socket] = connections.keys()
    for (let price = 2; price <= frames + 1; price++) {
      const onSent = () => (sentFrames = price - 1)
      socket.send(JSON.stringify({ topic, price }) + padding, onSent)
      while (socket.bufferedAmount > 1_000_000) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const commands = {
    report: () => undefined,
    terminate: () => connections.forEach((_counts, socket) => socket.terminate()),
    burst: (command) => void burst(command),
  }

  parentPort.on('message', (command) => {
    commands[command.name](command)
    const reportOf = (counts) => ({ topicCount: counts.size, maxSubscribes: Math.max(0, ...counts.values()) })
    const openConnections = [...connections.values()].map(reportOf)
    parentPort.postMessage({ upgradeCount, requestCount, sentFrames, openConnections })
  })
  http.listen(0, '127.0.0.1', () => parentPort.postMessage(http.address().port))
`

type Command =
  | { readonly name: 'report' }
  /** Terminates every connection, without a close frame. */
  | { readonly name: 'terminate' }
  /**
   * Sends prices 2, 3, … of a topic on the first connection, as fast as the socket accepts them. Each frame ends with
   * `paddingLength` spaces.
   */
  | {
      readonly name: 'burst'
      readonly topic: string
      readonly frames: number
      readonly paddingLength: number
    }

export interface Report {
  /** The number of accepted WebSockets, open and closed. */
  readonly upgradeCount: number
  /** The number of HTTP requests. */
  readonly requestCount: number
  /** The number of frames of the burst that the service has written to the operating system. */
  readonly sentFrames: number
  /** For each open WebSocket: the number of subscribed topics, and the largest number of subscribes for one topic. */
  readonly openConnections: readonly { readonly topicCount: number; readonly maxSubscribes: number }[]
}

export interface ServiceThread {
  /** Addresses of the service, in the form of client options. */
  readonly addresses: {
    readonly baseUrl: string
    readonly priceBaseUrl: string
    readonly priceWsUrl: string
    readonly authKey: string
  }
  /** Runs a command and resolves to a report. */
  readonly run: (command: Command) => Promise<Report>
  readonly close: () => Promise<void>
}

export interface ServiceThreadOptions {
  /** Interval between prices of a topic, in ms. Default: one price per subscribe. */
  readonly tick?: number
  /** True if each price is the time at which it is sent, in ms since the Unix epoch. Default: each price is 1. */
  readonly stamped?: boolean
}

export const startServiceThread = async ({
  tick,
  stamped = false,
}: ServiceThreadOptions = {}): Promise<ServiceThread> => {
  const worker = new Worker(program, { eval: true, workerData: { tick, stamped } })
  const [port] = (await once(worker, 'message')) as [number]
  let lastReport: Promise<unknown> = Promise.resolve()

  const request = async (command: Command): Promise<Report> => {
    worker.postMessage(command)
    const [report] = (await once(worker, 'message')) as [Report]
    return report
  }
  const base = `http://127.0.0.1:${port}`
  return {
    addresses: { baseUrl: base, priceBaseUrl: base, priceWsUrl: `ws://127.0.0.1:${port}`, authKey: 'AAEC' },
    run: (command) => {
      // One command at a time: a report does not name its command.
      const report = lastReport.then(() => request(command))
      lastReport = report
      return report
    },
    close: async () => {
      await worker.terminate()
    },
  }
}
