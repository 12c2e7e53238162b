import { inRounds, valuesOf } from '../measure/rounds.js'
import { subscribe, withPriceService, type PriceService } from '../measure/service.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = 1000
const rates = [1, 10, 100]
const [byHand, project] = ['by-hand', 'svc-streams']

/** What a burst is to the other tables, to warm up with: many frames at once, and few. */
const before = [
  { frames: 40_000, perMs: 100 },
  { frames: 10_000, perMs: 10 },
]

interface Latencies {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

/** How long a price takes from the server's send to the handler. */
export const latency = async (settings: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const measured = await inRounds(settings.latencyRounds, [byHand, project], (program) =>
      measure(service, program, settings),
    )
    const micros = (program: string, rate: number, of: 'p50' | 'p99'): readonly number[] =>
      valuesOf(measured, program, (value) => (value[rate]?.[of] ?? NaN) * 1e3)
    const percentiles = ['p50', 'p99'] as const
    return {
      title: 'Latency',
      method: `From the server's send to the handler in µs, ${topics} topics, frames sent evenly for ${settings.watchMs / 1000} s at each rate in turn, ${settings.latencyRounds} rounds. × by hand: by hand's latency by that of svc-streams in the same round; higher is faster.`,
      columns: [
        'Frames a ms',
        ...percentiles.flatMap((of) => [`${of} by hand`, `${of} svc-streams`, `${of} × by hand`]),
      ],
      rows: rates.map((perMs, rate) => [
        String(perMs),
        ...percentiles.flatMap((of) => {
          const [theirs, ours] = [micros(byHand, rate, of), micros(project, rate, of)]
          return [spreadOf(theirs), spreadOf(ours), spreadOf(ratios(theirs, ours))].map(withSpread)
        }),
      ]),
    }
  })

/** One program's latencies at each rate. */
const measure = (
  service: PriceService,
  program: string,
  { burstsBefore, watchMs }: Settings,
): Promise<readonly Latencies[]> =>
  service.withClient({ program, topics, record: 'latencies' }, async ({ child, service: server }) => {
    await subscribe({ child, service: server }, { to: topics })
    const send = async (frames: number, perMs: number): Promise<Latencies> => {
      await child.ask('expect', { deliveries: frames })
      await server.ask('pace', { frames, perMs })
      const latencies = await child.ask<Latencies>('delivered')
      if (latencies.count !== frames) throw new Error(`sent ${frames}, delivered ${latencies.count}`)
      return latencies
    }
    for (let time = 0; time < burstsBefore; time += 1) {
      for (const { frames, perMs } of before) await send(frames, perMs)
    }
    const measured: Latencies[] = []
    for (const perMs of rates) measured.push(await send(watchMs * perMs, perMs))
    return measured
  })
