import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = Array.from({ length: 20 }, (_, index) => `svc-0x${String(index).padStart(40, '0')}`)

const consumerCounts = [1, 16]

/** The interval of the ticks, in ms. */
const tickMs = 2

interface Candidate {
  readonly name: 'by hand' | 'gateway'
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
  const candidates = consumerCounts.flatMap((consumers): readonly Candidate[] => [
    { name: 'by hand', consumers },
    { name: 'gateway', consumers },
  ])
  const measured = await inRounds(rounds, candidates, (candidate) => microsPerTick(candidate, ticks))
  const micros = (candidate: Candidate | undefined) =>
    candidate === undefined ? [] : valuesOf(measured, candidate, (value) => value)
  const find = (name: Candidate['name'], consumers: number) =>
    candidates.find((each) => each.name === name && each.consumers === consumers)
  return {
    title: 'Fan-out of a gateway',
    method: `CPU of the server per tick with one price of each of ${topics.length} topics, a tick every ${tickMs} ms, all consumers subscribed to all topics, ${ticks} ticks after as many to warm up, ${rounds} rounds. By hand: \`for (const client of clients) client.send(JSON.stringify(price))\` with \`ws\`. The gateway includes its client, which decodes the prices. Cost: relative to by hand, lower is better.`,
    columns: ['Consumers', 'by hand, µs', 'gateway, µs', 'cost'],
    rows: consumerCounts.map((consumers) => {
      const [byHand, gateway] = [micros(find('by hand', consumers)), micros(find('gateway', consumers))]
      return [
        String(consumers),
        formatSpread(spreadOf(byHand)),
        formatSpread(spreadOf(gateway)),
        formatSpread(spreadOf(ratios(gateway, byHand))),
      ]
    }),
    notes: [
      'With 16 consumers, half of the CPU time of the gateway is the write to each socket, once per consumer and tick.',
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
