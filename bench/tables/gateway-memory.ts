import { inRounds, valuesOf } from '../measure/rounds.js'
import { spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = [`svc-0x${'1'.repeat(40)}`]

const connections = 1_000

const candidates = ['by hand', 'gateway'] as const

/** Memory of one connection of a gateway. */
export const gatewayMemory = async ({ rounds }: Settings): Promise<Section> => {
  const measured = await inRounds(rounds, candidates, bytesPerConnection)
  return {
    method: `Heap and external memory of the server after garbage collection, in bytes per WebSocket connection: ${connections} connections with the same topic and one price each, compared with one connection. By hand: a \`WebSocketServer\` of \`ws\` and a \`Set\` of its sockets. ${rounds} rounds.`,
    columns: ['Server', 'bytes per connection'],
    rows: candidates.map((candidate) => [
      candidate === 'gateway' ? '**gateway**' : candidate,
      formatSpread(spreadOf(valuesOf(measured, candidate, (value) => value))),
    ]),
  }
}

const bytesPerConnection = (name: (typeof candidates)[number]): Promise<number> =>
  withChild(
    'programs/fan-out-server.mjs',
    (server) =>
      withChild('programs/fan-out-consumers.mjs', async (consumers) => {
        const url = await server.request<string>('start', { name })
        const connect = async (count: number, total: number): Promise<number> => {
          await consumers.request('connect', { url, topics, count })
          await server.request('run', { topics, ticks: 1, tickMs: 1 })
          await consumers.request('received', { total })
          return server.request<number>('heapBytes')
        }
        // The first connection allocates the objects that all connections share.
        const before = await connect(1, 1)
        return ((await connect(connections - 1, 1 + connections)) - before) / (connections - 1)
      }),
    { runArguments: ['--expose-gc'] },
  )
