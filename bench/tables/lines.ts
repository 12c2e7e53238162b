import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

const topics = topicsOf(1000)

/** The interval of the ticks, in ms. */
const tickMs = 10

const candidates = [1, 2] as const

interface Usage {
  readonly prices: number
  readonly microseconds: number
}

/** The cost of a further line, which stands by. */
export const lineCosts = async ({ rounds, observationMs }: Settings): Promise<Section> => {
  const ticks = Math.round((2 * observationMs) / tickMs)
  const measured = await inRounds(rounds, candidates, (lines) => microsPerPrice(lines, ticks))
  const micros = (lines: (typeof candidates)[number]) => valuesOf(measured, lines, (value) => value)
  return {
    method: `CPU of the client's process per delivered price, one price of each of ${topics.length} topics every ${tickMs} ms on each line, ${ticks} ticks after as many to warm up, ${rounds} rounds. Cost: relative to one line, lower is better.`,
    columns: ['Lines', 'µs per price', 'cost'],
    rows: candidates.map((lines) => [
      String(lines),
      formatSpread(spreadOf(micros(lines))),
      formatSpread(spreadOf(ratios(micros(lines), micros(1)))),
    ]),
    limit: [undefined, 1.6],
  }
}

const microsPerPrice = (lines: number, ticks: number): Promise<number> =>
  withChild('programs/fan-out-server.mjs', (server) =>
    withChild('programs/lines.mjs', async (client) => {
      const url = await server.request<string>('start', { name: 'lower bound' })
      await client.request('open', { url, lines, topics })
      await server.request('run', { topics, ticks, tickMs })
      const before = await client.request<Usage>('usage')
      await server.request('run', { topics, ticks, tickMs })
      const after = await client.request<Usage>('usage')
      const prices = after.prices - before.prices
      if (prices < (topics.length * ticks) / 2) throw new Error(`${prices} prices were delivered`)
      return (after.microseconds - before.microseconds) / prices
    }),
  )
