import { setTimeout as sleep } from 'node:timers/promises'
import { withDepthService } from '../measure/depth-service.js'
import { quantile } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { figure } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const mints = 1000
const interval = 1000
const candidates = [
  { name: 'by hand, `setInterval` for each', how: 'by-hand' },
  { name: '**svc-streams** `depth$`', how: 'project' },
]

/** The first polls connect and compile: those that count come after, in ms. */
const settling = 3 * interval

interface Usage {
  readonly results: number
  readonly cpuMicroseconds: number
}

/** Whether many polls keep to their intervals. A report: it is run once. */
export const depthPolls = async ({ watchMs }: Settings): Promise<Section> => {
  const watched = 6 * watchMs
  const rows: string[][] = []
  for (const { name, how } of candidates) rows.push([name, ...(await watch(how, watched))])
  return {
    title: 'Depth: 1000 mints polled at once',
    method: `${mints} polls of ${interval} ms begun at the same moment, watched for ${watched / 1000} s after ${settling / 1000} s of settling: ms from the start of a request to the start of the next of the same mint, as the server hears them. Run once.`,
    columns: ['Client', 'intervals', 'least', 'p1', 'p50', 'p99', 'most', 'CPU, % of a core'],
    rows,
  }
}

const watch = (how: string, watched: number): Promise<string[]> =>
  withDepthService((service) =>
    withChild('programs/depth-polls.mjs', async (child) => {
      await child.ask('start', { how, origin: service.origin, mints, interval })
      await sleep(settling)
      await service.child.ask('reset')
      const [before, began] = [await child.ask<Usage>('usage'), performance.now()]
      await sleep(watched)
      const [after, ended] = [await child.ask<Usage>('usage'), performance.now()]
      const arrivals = await service.child.ask<number[][]>('arrivals')
      const intervals = arrivals.flatMap((times) =>
        times.slice(1).map((time, index) => time - (times[index] ?? NaN)),
      )
      if (arrivals.length !== mints) throw new Error(`${arrivals.length} of ${mints} mints were asked for`)
      if (after.results === before.results) throw new Error('no result was delivered')
      const cpu = (after.cpuMicroseconds - before.cpuMicroseconds) / 1e3 / (ended - began)
      return [
        String(intervals.length),
        ...[0, 0.01, 0.5, 0.99, 1].map((share) => quantile(intervals, share).toFixed(1)),
        figure(cpu * 100),
      ]
    }),
  )
