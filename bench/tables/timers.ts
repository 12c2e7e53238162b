import { burst, warmUp } from '../measure/burst.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { subscribe, withPriceService } from '../measure/service.js'
import { spreadOf } from '../measure/statistics.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = 1000
const frames = 100_000
const candidates = [
  { name: 'by hand', program: 'by-hand' },
  { name: '**svc-streams**', program: 'svc-streams' },
]

/** Whether the process does anything else while a burst comes in. */
export const timers = async ({ rounds, burstsBefore }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const measured = await inRounds(rounds, candidates, ({ program }) =>
      service.withClient({ program, topics }, async (client) => {
        await subscribe(client, { to: topics })
        await client.service.ask('prepare')
        await warmUp(client, burstsBefore, { frames, timers: true })
        return burst(client, { frames, timers: true })
      }),
    )
    return {
      title: 'Timers during a burst',
      method: `A burst of ${frames} frames over ${topics} topics, and a timer of 1 ms beside it: how often it ran until the last frame was handled, and the longest time that it did not, ${rounds} rounds.`,
      columns: ['Client', 'timer ran', 'longest wait, ms', 'CPU of the burst, ms'],
      rows: candidates.map((candidate) => [
        candidate.name,
        withSpread(spreadOf(valuesOf(measured, candidate, ({ ticks = NaN }) => ticks))),
        withSpread(spreadOf(valuesOf(measured, candidate, ({ longestGap = NaN }) => longestGap))),
        withSpread(spreadOf(valuesOf(measured, candidate, ({ cpuMicroseconds }) => cpuMicroseconds / 1e3))),
      ]),
    }
  })
