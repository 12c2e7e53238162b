import { sendBurst, warmUp } from '../measure/bursts.js'
import { subscribe, withPriceService } from '../measure/price-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { spreadOf } from '../measure/statistics.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = 1000
const frames = 100_000
const candidates = [
  { name: 'hand-written', program: 'hand-written/price-handlers' },
  { name: '**svc-streams**', program: 'svc-streams/default' },
]

/** Delay of timers while a burst arrives. */
export const timers = async ({ rounds, warmUpBursts }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const measured = await inRounds(rounds, candidates, ({ program }) =>
      service.withClient({ program, topics }, async (client) => {
        await subscribe(client, { to: topics })
        await client.service.request('prepareFrames')
        await warmUp(client, warmUpBursts, { frames, timers: true })
        return sendBurst(client, { frames, timers: true })
      }),
    )
    return {
      method: `A burst of ${frames} frames over ${topics} topics, with a timer of 1 ms in the same process: the number of its runs until the last frame was handled, and the longest time between two runs, ${rounds} rounds.`,
      columns: ['Client', 'timer runs', 'longest gap, ms', 'CPU of the burst, ms'],
      rows: candidates.map((candidate) => [
        candidate.name,
        formatSpread(spreadOf(valuesOf(measured, candidate, ({ ticks = NaN }) => ticks))),
        formatSpread(spreadOf(valuesOf(measured, candidate, ({ longestGap = NaN }) => longestGap))),
        formatSpread(spreadOf(valuesOf(measured, candidate, ({ cpuMicroseconds }) => cpuMicroseconds / 1e3))),
      ]),
    }
  })
