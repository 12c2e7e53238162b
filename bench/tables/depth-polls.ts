import { setTimeout as sleep } from 'node:timers/promises'
import { withDepthService } from '../measure/depth-service.js'
import { quantile } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatFigure } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const mints = 1000
const interval = 1000
const candidates = [
  { name: 'hand-written, one `setInterval` per mint', client: 'hand-written' },
  { name: '**svc-streams** `depth$`', client: 'svc-streams' },
]

/** Time before the measurement, in which the clients connect and warm up, in ms. */
const warmUpMs = 3 * interval

interface Usage {
  readonly results: number
  readonly cpuMicroseconds: number
}

/** Accuracy of the interval of many polls. Measured once, without rounds. */
export const depthPolls = async ({ observationMs }: Settings): Promise<Section> => {
  const measuredMs = 6 * observationMs
  const rows: string[][] = []
  for (const { name, client } of candidates) rows.push([name, ...(await measure(client, measuredMs))])
  return {
    method: `${mints} polls with an interval of ${interval} ms, started at the same time, measured for ${measuredMs / 1000} s after ${warmUpMs / 1000} s of warm-up: ms between the arrivals of two requests for the same mint at the server. Run once.`,
    columns: ['Client', 'intervals', 'min', 'p1', 'p50', 'p99', 'max', 'CPU, % of a core'],
    rows,
  }
}

const measure = (client: string, measuredMs: number): Promise<string[]> =>
  withDepthService((service) =>
    withChild('programs/depth-polls.mjs', async (child) => {
      await child.request('start', { client, origin: service.origin, mints, interval })
      await sleep(warmUpMs)
      await service.child.request('reset')
      const [before, start] = [await child.request<Usage>('usage'), performance.now()]
      await sleep(measuredMs)
      const [after, end] = [await child.request<Usage>('usage'), performance.now()]
      const arrivals = await service.child.request<number[][]>('arrivals')
      const intervals = arrivals.flatMap((times) =>
        times.slice(1).map((time, index) => time - (times[index] ?? NaN)),
      )
      if (arrivals.length !== mints) throw new Error(`${arrivals.length} of ${mints} mints were requested`)
      if (after.results === before.results) throw new Error('no result was delivered')
      const cpu = (after.cpuMicroseconds - before.cpuMicroseconds) / 1e3 / (end - start)
      return [
        String(intervals.length),
        ...[0, 0.01, 0.5, 0.99, 1].map((share) => quantile(intervals, share).toFixed(1)),
        formatFigure(cpu * 100),
      ]
    }),
  )
