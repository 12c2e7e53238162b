import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { findNatsServer } from '../../test/support/nats/find-nats-server.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { type Child, withChild } from '../process/child.js'
import { cpuOfProcess } from '../process/cpu-of-process.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

/** What the service sends, and to how many consumers it goes. */
interface Load {
  readonly topics: number
  /** The interval between two prices of each topic, in ms. */
  readonly tickMs: number
  /** 0: a client of the service itself, without a gateway. */
  readonly consumers: number
}

const loads: readonly Load[] = [
  ...[0, 1, 4, 16].map((consumers) => ({ topics: 20, tickMs: 10, consumers })),
  ...[0, 1].map((consumers) => ({ topics: 20, tickMs: 1, consumers })),
  ...[0, 1].map((consumers) => ({ topics: 200, tickMs: 10, consumers })),
]

/** The same prices without a gateway. */
const directOf = ({ topics, tickMs }: Load): Load => {
  const direct = loads.find(
    (each) => each.consumers === 0 && each.topics === topics && each.tickMs === tickMs,
  )
  if (direct === undefined) throw new Error('no load without a gateway')
  return direct
}

/** CPU times in µs. Those of a delivery are of a price that one consumer receives. */
interface Cost {
  readonly gatewayPerPrice: number
  readonly serverPerPrice: number
  readonly consumerPerDelivery: number
}

/** The cost of a price on NATS for the gateway, the server and a consumer, by the rate and the number of consumers. */
export const nats = async ({ rounds, quick }: Settings): Promise<Section> => {
  const seconds = quick ? 1 : 4
  const measured = await inRounds(rounds, loads, (load) => costOf(load, seconds))
  const micros = (load: Load, part: keyof Cost) => valuesOf(measured, load, (cost) => cost[part])
  const relativeToDirect = (load: Load) =>
    ratios(micros(load, 'consumerPerDelivery'), micros(directOf(load), 'consumerPerDelivery'))
  const format = (values: readonly number[]) => formatSpread(spreadOf(values))
  return {
    method: `CPU per price, at a constant rate: ticks with one price of each topic, all consumers subscribed to all topics, ${seconds} s after as many to warm up, ${rounds} rounds. The service, the gateway, the NATS server and all consumers run in a process each. A delivery is a price that one consumer receives. The gateway includes its client, which decodes the prices, and the renewals of the consumers. Each round checks that at least 90 % of the prices are delivered. Without a gateway: a client of the service itself, at the same rate. Cost: of a delivery, relative to that client.`,
    columns: [
      'Prices a second',
      'topics',
      'consumers',
      'gateway, µs',
      'NATS server, µs',
      'consumer, µs per delivery',
      'cost',
    ],
    rows: loads.map((load) => [
      String((load.topics / load.tickMs) * 1_000),
      String(load.topics),
      ...(load.consumers === 0
        ? ['without a gateway', '–', '–']
        : [
            String(load.consumers),
            format(micros(load, 'gatewayPerPrice')),
            format(micros(load, 'serverPerPrice')),
          ]),
      format(micros(load, 'consumerPerDelivery')),
      format(relativeToDirect(load)),
    ]),
  }
}

interface Received {
  readonly prices: number
  readonly failures: number
}

/** The cost of `seconds` s of a load, after as many to warm up. */
export const costOf = (load: Load, seconds: number): Promise<Cost> =>
  withChild('server/price-service.ts', async (service) => {
    const port = await service.request<number>('listen')
    await service.request('expectClient', { topics: load.topics })
    const priceWsUrl = `ws://127.0.0.1:${port}`
    const topics = topicsOf(load.topics)
    return withChild('programs/nats-consumers.mjs', async (consumers) => {
      if (load.consumers === 0) {
        await consumers.request('connectDirect', { priceWsUrl, topics })
        return measure(load, seconds, service, consumers, { gateway: undefined, server: undefined })
      }
      return withNatsServer((servers, server) =>
        withChild('programs/nats-gateway.mjs', async (gateway) => {
          await gateway.request('start', { servers, priceWsUrl, topics })
          const connection = { isPending: true }
          const connected = consumers
            .request('connect', { servers, topics, count: load.consumers })
            .finally(() => (connection.isPending = false))
          // Awaited below. Until then another failure comes first.
          connected.catch(() => undefined)
          await service.request('awaitSubscriptions', { topics: load.topics })
          // A consumer is ready when each topic has a price: prices are sent until then.
          while (connection.isPending) await service.request('sendTicks', { ticks: 2, tickMs: 200 })
          await connected
          return measure(load, seconds, service, consumers, { gateway: gateway.pid, server })
        }),
      )
    })
  })

const measure = async (
  load: Load,
  seconds: number,
  service: Child,
  consumers: Child,
  pids: { readonly gateway: number | undefined; readonly server: number | undefined },
): Promise<Cost> => {
  const ticks = (seconds * 1_000) / load.tickMs
  await service.request('awaitSubscriptions', { topics: load.topics })
  const run = async (): Promise<Cost> => {
    const cpuOf = (pid: number | undefined): number => (pid === undefined ? 0 : cpuOfProcess(pid))
    const times = () => ({
      gateway: cpuOf(pids.gateway),
      server: cpuOf(pids.server),
      consumers: cpuOf(consumers.pid),
    })
    const received = (): Promise<Received> => consumers.request<Received>('received')
    const before = { ...(await received()), ...times() }
    const prices = load.topics * ticks
    const wanted = before.prices + prices * Math.max(1, load.consumers)
    await service.request('sendTicks', { ticks, tickMs: load.tickMs })
    let after = await received()
    const start = performance.now()
    while (after.prices < wanted && performance.now() - start < 5_000) after = await received()
    const deliveries = after.prices - before.prices
    // Other programs on the machine may end an epoch.
    if (deliveries < 0.9 * (wanted - before.prices)) {
      const failures = after.failures - before.failures
      throw new Error(`only ${deliveries} prices were received, and ${failures} errors`)
    }
    const cpu = times()
    return {
      gatewayPerPrice: (cpu.gateway - before.gateway) / prices,
      serverPerPrice: (cpu.server - before.server) / prices,
      consumerPerDelivery: (cpu.consumers - before.consumers) / deliveries,
    }
  }
  await untilQuiet(consumers)
  await run()
  return run()
}

/** Waits until the prices that were sent before have arrived. */
const untilQuiet = async (consumers: Child): Promise<void> => {
  for (let last = -1, next = 0; next !== last;) {
    last = next
    await sleep(200)
    next = (await consumers.request<Received>('received')).prices
  }
}

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
