import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers } from '../process/answers.mjs'
import { topicsOf } from '../topics.js'
import { Connection } from './connection.js'

// The service's WebSocket side, in a process of its own: its work is not in what is measured of a client. It serves
// one client after the other; the newest connection is the one that is spoken of.

let connection: Connection | undefined
let topics: readonly string[] = []

const current = (): Connection => {
  if (connection === undefined) throw new Error('nobody has connected')
  return connection
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(2)
}

const server = createServer((socket) => {
  connection = new Connection(socket, topics)
})

answers({
  listen: () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  expectClient: (asked: { readonly topics: number }) => {
    topics = topicsOf(asked.topics)
    connection = undefined
  },
  subscribed: async (asked: { readonly topics: number }) => {
    await until(() => connection?.open === true && connection.subscribed >= asked.topics)
  },
  prepare: () => current().prepare(),
  burst: ({ frames, subscribers }: { readonly frames: number; readonly subscribers: number }) =>
    current().burst(frames, subscribers),
  pace: ({ frames, perMs }: { readonly frames: number; readonly perMs: number }) =>
    current().pace(frames, perMs),
})
