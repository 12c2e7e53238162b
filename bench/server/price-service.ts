import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { handleRequests } from '../process/handle-requests.mjs'
import { topicsOf } from '../topics.js'
import { Connection } from './connection.js'

// The WebSocket of the service, in its own process, so that its CPU time is not measured. It serves one client at a time:
// requests refer to the newest connection.

let connection: Connection | undefined
let topics: readonly string[] = []

const current = (): Connection => {
  if (connection === undefined) throw new Error('no client is connected')
  return connection
}

const waitUntil = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(2)
}

const server = createServer((socket) => {
  connection = new Connection(socket, topics)
})

handleRequests({
  listen: () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  expectClient: (params: { readonly topics: number }) => {
    topics = topicsOf(params.topics)
    connection = undefined
  },
  awaitSubscriptions: async (params: { readonly topics: number }) => {
    await waitUntil(() => connection?.open === true && connection.subscriptionCount >= params.topics)
  },
  prepareFrames: (params: { readonly topics?: number }) => current().prepareFrames(params.topics),
  sendBurst: ({ frames, subscribers }: { readonly frames: number; readonly subscribers: number }) =>
    current().sendBurst(frames, subscribers),
  sendTicks: ({ ticks, tickMs }: { readonly ticks: number; readonly tickMs: number }) =>
    current().sendTicks(ticks, tickMs),
  sendAtRate: ({ frames, perMs }: { readonly frames: number; readonly perMs: number }) =>
    current().sendAtRate(frames, perMs),
})
