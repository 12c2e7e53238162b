import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { findNatsServer } from '../../test/support/nats/find-nats-server.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { cpuOfProcess } from '../process/cpu-of-process.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = Array.from({ length: 20 }, (_, index) => `svc-0x${String(index).padStart(40, '0')}`)

const consumerCounts = [1, 4, 16]

/** The interval of the ticks, in ms. */
const tickMs = 10

/** CPU times in µs. */
interface Cost {
  readonly gatewayPerPrice: number
  readonly serverPerPrice: number
  readonly serverPerDelivery: number
  readonly consumerPerDelivery: number
}

interface Received {
  readonly prices: number
  readonly cpu: number
}

/** The cost of a price on NATS for the gateway, the server and a consumer, by the number of consumers. */
export const nats = async ({ rounds, quick }: Settings): Promise<Section> => {
  const ticks = quick ? 50 : 300
  const measured = await inRounds(rounds, consumerCounts, (consumers) => costOf(consumers, ticks))
  const micros = (consumers: number, part: keyof Cost) => valuesOf(measured, consumers, (cost) => cost[part])
  const gateway = (consumers: number) => micros(consumers, 'gatewayPerPrice')
  return {
    title: 'A gateway on NATS',
    method: `CPU per price: a tick every ${tickMs} ms with one price of each of ${topics.length} topics, all consumers subscribed to all topics, ${ticks} ticks after as many to warm up, ${rounds} rounds. A delivery is a price that one consumer receives. The gateway includes its client, which decodes the prices, and the renewals of the consumers. Cost: of the gateway, relative to one consumer. All consumers run in one process.`,
    columns: [
      'Consumers',
      'gateway, µs',
      'cost',
      'NATS server, µs',
      'NATS server, µs per delivery',
      'consumer, µs per delivery',
    ],
    rows: consumerCounts.map((consumers) => [
      String(consumers),
      formatSpread(spreadOf(gateway(consumers))),
      formatSpread(spreadOf(ratios(gateway(consumers), gateway(1)))),
      formatSpread(spreadOf(micros(consumers, 'serverPerPrice'))),
      formatSpread(spreadOf(micros(consumers, 'serverPerDelivery'))),
      formatSpread(spreadOf(micros(consumers, 'consumerPerDelivery'))),
    ]),
  }
}

const costOf = (count: number, ticks: number): Promise<Cost> =>
  withNatsServer((servers, pid) =>
    withChild('programs/nats-gateway.mjs', (gateway) =>
      withChild('programs/nats-consumers.mjs', async (consumers) => {
        await gateway.request('start', { servers })
        const run = (): Promise<number> => gateway.request<number>('run', { topics, ticks, tickMs })
        // A consumer is ready when each topic has a price: prices are published until then.
        const connecting = new Set([consumers.request('connect', { servers, topics, count })])
        for (const connected of connecting) void connected.finally(() => connecting.delete(connected))
        while (connecting.size > 0) await run()
        const before = await consumers.request<Received>('received')
        const serverBefore = cpuOfProcess(pid)
        const gatewayPerPrice = await run()
        const server = cpuOfProcess(pid) - serverBefore
        const after = await consumers.request<Received>('received')
        const prices = ticks * topics.length
        const deliveries = after.prices - before.prices
        // The last prices may not have arrived yet.
        if (deliveries < 0.9 * prices * count) throw new Error(`only ${deliveries} prices were received`)
        return {
          gatewayPerPrice,
          serverPerPrice: server / prices,
          serverPerDelivery: server / deliveries,
          consumerPerDelivery: (after.cpu - before.cpu) / deliveries,
        }
      }),
    ),
  )

/** Runs `use` with a NATS server on a free port. */
const withNatsServer = async <A>(use: (url: string, pid: number) => Promise<A>): Promise<A> => {
  const port = await findPort()
  const server = spawn(await findNatsServer(), ['-a', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    let log = ''
    for await (const chunk of server.stderr.iterator({ destroyOnReturn: false })) {
      log += String(chunk)
      if (log.includes('Server is ready')) break
    }
    server.stderr.resume()
    return await use(`nats://127.0.0.1:${port}`, server.pid ?? NaN)
  } finally {
    server.kill('SIGKILL')
  }
}

const findPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
