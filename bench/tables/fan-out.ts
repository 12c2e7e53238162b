import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = Array.from({ length: 20 }, (_, index) => `svc-0x${String(index).padStart(40, '0')}`)

const consumerCounts = [1, 16]

const names = ['by hand', 'lower bound', 'gateway'] as const

/** The interval of the ticks, in ms. */
const tickMs = 2

interface Candidate {
  readonly name: (typeof names)[number]
  readonly consumers: number
}

interface Ticks {
  readonly ticks: number
  /** The interval of the ticks, in ms. */
  readonly tickMs: number
}

/** The number of prices that a consumer receives in a tick. */
export const pricesPerTick = topics.length

/** The cost of passing prices on to consumers, compared with a loop over `send(JSON.stringify(…))`. */
export const fanOut = async ({ rounds, quick }: Settings): Promise<Section> => {
  const ticks = quick ? 100 : 500
  const candidates = consumerCounts.map((consumers) => names.map((name): Candidate => ({ name, consumers })))
  const measured = await inRounds(rounds, candidates.flat(), (candidate) => microsPerTick(candidate, ticks))
  return {
    method: `CPU of the server per tick with one price of each of ${topics.length} topics, a tick every ${tickMs} ms, all consumers subscribed to all topics, ${ticks} ticks after as many to warm up, ${rounds} rounds. By hand: \`for (const client of clients) client.send(JSON.stringify(price))\` with \`ws\`. Lower bound: the frames of a tick, encoded once, in one write to each socket. The gateway includes its client, which decodes the prices. Cost: relative to by hand, lower is better.`,
    columns: ['Consumers', 'by hand, µs', 'lower bound, µs', 'its cost', 'gateway, µs', 'cost'],
    rows: candidates.map((each) => {
      const [byHand = [], lowerBound = [], gateway = []] = each.map((candidate) =>
        valuesOf(measured, candidate, (value) => value),
      )
      const costs = [ratios(lowerBound, byHand), ratios(gateway, byHand)] as const
      const figures = [byHand, lowerBound, costs[0], gateway, costs[1]]
      return [String(each[0]?.consumers), ...figures.map((values) => formatSpread(spreadOf(values)))]
    }),
    limit: consumerCounts.map((consumers) => (consumers === 16 ? 0.14 : undefined)),
    notes: [
      'In a CPU profile of the gateway with 16 consumers, the write to each socket, once per consumer and tick, takes three quarters of the time of its thread, and its own code and that of its client a tenth. The rest is garbage collection and the pings that bound the age of prices.',
    ],
  }
}

/** CPU of the server per tick in µs, after a warm-up. Throws unless every consumer has received every price. */
export const microsPerTick = async (candidate: Candidate, ticks: number): Promise<number> => {
  const each = { ticks, tickMs }
  const { micros, deliveries } = await sendTicks(candidate, each, each)
  const wanted = ticks * candidate.consumers * topics.length
  if (deliveries < wanted) throw new Error(`${deliveries} of ${wanted} prices were delivered`)
  return micros / ticks
}

/** CPU of the server in µs, and the number of prices that consumers have received, after a warm-up. */
export const sendTicks = (
  { name, consumers }: Candidate,
  warmUp: Ticks,
  measured: Ticks,
): Promise<{ readonly micros: number; readonly deliveries: number }> =>
  withChild('programs/fan-out-server.mjs', (server) =>
    withChild('programs/fan-out-consumers.mjs', async (readers) => {
      const url = await server.request<string>('start', { name })
      await readers.request('connect', { url, topics, count: consumers })
      const run = async (each: Ticks, before: number) => {
        const micros = await server.request<number>('run', { topics, ...each })
        const total = before + each.ticks * consumers * topics.length
        const received = await readers.request<number>('received', { total })
        return { micros: micros * each.ticks, received }
      }
      const before = await run(warmUp, 0)
      const { micros, received } = await run(measured, before.received)
      return { micros, deliveries: received - before.received }
    }),
  )
