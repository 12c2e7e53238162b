import { inRounds, valuesOf } from '../measure/rounds.js'
import { subscribe, withPriceService, type PriceService } from '../measure/service.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = 1000
const rates = [1, 10, 100]
const programs = ['by-hand', 'svc-streams']

/** Frames before those that count, as fast as in a burst: until the compiler has done its work. */
const warmUp = 300_000

interface Latencies {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

/** How long a price takes from the server's send to the handler. */
export const latency = async ({ rounds, watchMs }: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const candidates = rates.flatMap((perMs) => programs.map((program) => ({ program, perMs })))
    const measured = await inRounds(rounds, candidates, ({ program, perMs }) =>
      measure(service, program, perMs, watchMs),
    )
    const micros = (program: string, perMs: number, of: 'p50' | 'p99'): readonly number[] => {
      const candidate = candidates.find((each) => each.program === program && each.perMs === perMs)
      return candidate === undefined ? [] : valuesOf(measured, candidate, (value) => value[of] * 1e3)
    }
    const percentiles = ['p50', 'p99'] as const
    return {
      title: 'Latency',
      method: `From the server's send to the handler in µs, ${topics} topics, frames sent evenly for ${watchMs / 1000} s a round, ${rounds} rounds. × by hand: by hand's latency by that of svc-streams in the same round; higher is faster.`,
      columns: [
        'Frames a ms',
        ...percentiles.flatMap((of) => [`${of} by hand`, `${of} svc-streams`, `${of} × by hand`]),
      ],
      rows: rates.map((perMs) => [
        String(perMs),
        ...percentiles.flatMap((of) => {
          const [theirs, ours] = [micros('by-hand', perMs, of), micros('svc-streams', perMs, of)]
          return [spreadOf(theirs), spreadOf(ours), spreadOf(ratios(theirs, ours))].map(withSpread)
        }),
      ]),
    }
  })

const measure = (
  service: PriceService,
  program: string,
  perMs: number,
  watchMs: number,
): Promise<Latencies> =>
  service.withClient({ program, topics, record: 'latencies' }, async ({ child, service: server }) => {
    await subscribe({ child, service: server }, { to: topics })
    const send = async (frames: number, rate: number): Promise<Latencies> => {
      await child.ask('expect', { deliveries: frames })
      await server.ask('pace', { frames, perMs: rate })
      const latencies = await child.ask<Latencies>('delivered')
      if (latencies.count !== frames) throw new Error(`sent ${frames}, delivered ${latencies.count}`)
      return latencies
    }
    await send(warmUp, 100)
    return send(watchMs * perMs, perMs)
  })
