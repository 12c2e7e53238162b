import { subscribe, withPriceService, type PriceService } from '../measure/price-service.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const topics = 1000
const rates = [1, 10, 100]
const [handWritten, svcStreams] = ['hand-written/price-handlers', 'svc-streams/default']

/** Warm-up at a high and at a low rate, like the bursts of the other tables. */
const warmUps = [
  { frames: 40_000, perMs: 100 },
  { frames: 10_000, perMs: 10 },
]

interface Latencies {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

/** Time from the server's send to the handler. */
export const latency = async (settings: Settings): Promise<Section> =>
  withPriceService(async (service) => {
    const measured = await inRounds(settings.latencyRounds, [handWritten, svcStreams], (program) =>
      measure(service, program, settings),
    )
    const micros = (program: string, rate: number, of: 'p50' | 'p99'): readonly number[] =>
      valuesOf(measured, program, (value) => (value[rate]?.[of] ?? NaN) * 1e3)
    const percentiles = ['p50', 'p99'] as const
    return {
      method: `From the server's send to the handler in µs, ${topics} topics, frames sent at a constant rate for ${settings.observationMs / 1000} s per rate, ${settings.latencyRounds} rounds. × hand-written: the latency of the hand-written client divided by that of svc-streams, in the same round; higher is faster.`,
      columns: [
        'Frames per ms',
        ...percentiles.flatMap((of) => [`${of} hand-written`, `${of} svc-streams`, `${of} × hand-written`]),
      ],
      rows: rates.map((perMs, rate) => [
        String(perMs),
        ...percentiles.flatMap((of) => {
          const [baseline, own] = [micros(handWritten, rate, of), micros(svcStreams, rate, of)]
          return [spreadOf(baseline), spreadOf(own), spreadOf(ratios(baseline, own))].map(formatSpread)
        }),
      ]),
    }
  })

/** The latencies of one program at each rate. */
const measure = (
  service: PriceService,
  program: string,
  { warmUpBursts, observationMs }: Settings,
): Promise<readonly Latencies[]> =>
  service.withClient({ program, topics, recorder: 'latency' }, async ({ child, service: server }) => {
    await subscribe({ child, service: server }, { to: topics })
    const send = async (frames: number, perMs: number): Promise<Latencies> => {
      await child.request('start', { deliveries: frames })
      await server.request('sendAtRate', { frames, perMs })
      const latencies = await child.request<Latencies>('result')
      if (latencies.count !== frames) throw new Error(`sent ${frames}, delivered ${latencies.count}`)
      return latencies
    }
    for (let sent = 0; sent < warmUpBursts; sent += 1) {
      for (const { frames, perMs } of warmUps) await send(frames, perMs)
    }
    const measured: Latencies[] = []
    for (const perMs of rates) measured.push(await send(observationMs * perMs, perMs))
    return measured
  })
