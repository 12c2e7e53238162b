import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

// A price reporter in a thread of its own, which goes on while this thread's event loop is blocked.

const program = `
  const { parentPort } = require('node:worker_threads')
  const { WebSocketServer } = require('ws')
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { method, topic } = JSON.parse(data)
      if (method !== 'subscribe') return
      socket.send(JSON.stringify({ subscriptions: [topic] }))
      const prices = setInterval(() => socket.send(JSON.stringify({ topic, price: 1 })), 20)
      socket.on('close', () => clearInterval(prices))
    })
  })
  server.on('listening', () => parentPort.postMessage(server.address().port))
`

export interface ForeignService {
  readonly priceWsUrl: string
  readonly close: () => Promise<void>
}

export const startForeignService = async (): Promise<ForeignService> => {
  const worker = new Worker(program, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  return {
    priceWsUrl: `ws://127.0.0.1:${port}`,
    close: async () => {
      await worker.terminate()
    },
  }
}

/** Keeps this thread's event loop from turning, for so many ms. */
export const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
