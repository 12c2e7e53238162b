import { setTimeout as sleep } from 'node:timers/promises'
import { subscribeAndMeasureCpu } from '../measure/bursts.js'
import { withDepthService } from '../measure/depth-service.js'
import { withPriceService } from '../measure/price-service.js'
import { type Child, withChild } from '../process/child.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'
import { pricesPerTick, sendTicks } from './fan-out.js'
import { costOf } from './nats.js'
import { readRecording } from './replay.js'
import { runSweep } from './sweep.js'

/** The costs of a unit of work for an amount of work, one for each of `Growth.costs`. */
type Measure = (amount: number) => Promise<readonly number[]>

type Measured = ReadonlyMap<number, readonly (readonly number[])[]>

/** Work of which there may be more or less. */
export interface Growth {
  /** What there is more of. */
  readonly amount: string
  /** From the smallest to the largest. */
  readonly amounts: readonly number[]
  /** What is measured of each amount, with its unit. */
  readonly costs: readonly string[]
  /** The highest number of rounds, if one takes long. */
  readonly maxRounds?: number
  /** Starts what all measurements share, calls back, and stops it. */
  readonly run: (settings: Settings, inRounds: (measure: Measure) => Promise<Measured>) => Promise<Measured>
  /** Why a cost is not flat. */
  readonly notes?: readonly string[]
}

/** CPU of a price by the number of topics. `activeTopics`: the number of topics that get prices, all by default. */
const topics = (
  name: string,
  program: string,
  amounts: readonly number[],
  activeTopics?: number,
): Growth => ({
  amount: name,
  amounts,
  costs: ['CPU per price, µs'],
  run: ({ quick }, inRounds) =>
    withPriceService((service) =>
      inRounds(async (count) => [
        await service.withClient({ program, topics: count }, (client) =>
          subscribeAndMeasureCpu(
            client,
            count,
            quick ? 1 : 3,
            { frames: 200_000 },
            Math.min(count, activeTopics ?? count),
          ),
        ),
      ]),
    ),
})

const svcStreams = 'svc-streams/one-connection'

const subscribers: Growth = {
  amount: 'subscribers to one topic',
  amounts: [1, 100, 10_000],
  costs: ['CPU per delivery, µs'],
  run: ({ quick }, inRounds) =>
    withPriceService((service) =>
      inRounds(async (count) => {
        const burst = { frames: Math.max(400, 200_000 / count), subscribers: count }
        const micros = await service.withClient({ program: svcStreams, topics: 1 }, (client) =>
          subscribeAndMeasureCpu(client, 1, quick ? 1 : 3, burst),
        )
        return [micros / count]
      }),
    ),
}

interface PollUsage {
  readonly results: number
  readonly cpuMicroseconds: number
}

/** The same number of requests a second, over more polls with a longer interval. */
const polls: Growth = {
  amount: 'polls, together 1000 requests a second',
  amounts: [1, 100, 1000],
  costs: ['CPU per request, µs'],
  run: ({ quick }, inRounds) =>
    withDepthService(({ origin }) =>
      inRounds((mints) =>
        withChild('programs/depth-polls.mjs', async (child) => {
          const results = quick ? 500 : 2_000
          await child.request('start', { client: 'svc-streams', origin, mints, interval: mints })
          const before = await usageAfter(child, results)
          const after = await usageAfter(child, before.results + results)
          return [(after.cpuMicroseconds - before.cpuMicroseconds) / (after.results - before.results)]
        }),
      ),
    ),
}

/** Waits for results instead of a time: V8 optimizes the code by the number of its calls. */
const usageAfter = async (child: Child, results: number): Promise<PollUsage> => {
  for (;;) {
    const usage = await child.request<PollUsage>('usage')
    if (usage.results >= results) return usage
    await sleep(10)
  }
}

/** All consumers together read this number of prices a second, because they share the machine with the gateway. */
const deliveriesPerSecond = 200_000

/** The interval at which 2000 consumers can read a price of each topic, in ms. */
const slowTickMs = 200

/** The same rate for all amounts, because a gateway measures the lag of each consumer at an interval, whatever it sends. */
const consumers: Growth = {
  amount: 'consumers of a gateway, 100 prices a second each',
  amounts: [1, 16, 256, 2000],
  costs: ['CPU per delivery, µs'],
  run: ({ quick }, inRounds) =>
    inRounds(async (count) => {
      const tickMs = Math.max(2, Math.ceil((1_000 * count * pricesPerTick) / deliveriesPerSecond))
      const warmUp = { tickMs, ticks: Math.ceil((quick ? 200 : 600) / tickMs) }
      const measured = { tickMs: slowTickMs, ticks: quick ? 2 : 5 }
      const { micros, deliveries } = await sendTicks({ name: 'gateway', consumers: count }, warmUp, measured)
      return [micros / deliveries]
    }),
}

const sessions: Growth = {
  amount: 'sessions on NATS, 50 prices a second',
  amounts: [1, 16, 256, 1000],
  costs: ['CPU of the gateway per delivery, µs'],
  maxRounds: 1,
  run: ({ quick }, inRounds) =>
    inRounds(async (count) => {
      const load = { topics: 5, tickMs: 100, consumers: count }
      const { gatewayPerPrice } = await costOf(load, quick ? 1 : 2)
      return [gatewayPerPrice / count]
    }),
}

const rows: Growth = {
  amount: 'rows of a replay',
  amounts: [10_000, 100_000, 1_000_000],
  costs: ['CPU per row, µs', 'peak memory of the process, MB'],
  run: (_, inRounds) =>
    inRounds((count) =>
      withRecording({ rows: count, topics: 10 }, async (path) => {
        const times = Math.ceil(300_000 / count)
        const { microseconds, megabytes } = await readRecording('replay', path, times)
        return [microseconds / count, megabytes]
      }),
    ),
}

const sweptRows = 50_000

const parameters: Growth = {
  amount: 'parameters of a sweep, 1 worker',
  amounts: [1, 8, 64],
  costs: ['CPU per parameter and row, µs'],
  run: (_, inRounds) =>
    withRecording({ rows: sweptRows, topics: 1 }, (recording) =>
      inRounds(async (count) => {
        const [topic] = topicsOf(1)
        const lengths = Array.from({ length: count }, (_each, index) => ({ topic, length: 100 + index }))
        const task = { way: 'sweep', workers: 1, recording, parameters: lengths } as const
        const { cpuMicroseconds } = await runSweep(task)
        return [cpuMicroseconds / (count * sweptRows)]
      }),
    ),
}

export const growingLoads: readonly Growth[] = [
  {
    ...topics('topics', svcStreams, [1, 100, 1000, 10_000, 100_000]),
    notes: [
      'topics: the cost of a price grows with the memory that prices use, not with the number of topics. With 100 000 topics of which 1000 get prices, a price costs what it costs with 1000 topics (second row). A price reads and writes the byte pattern of its topic, the state with its numbers, the subscriber of RxJS and the observer: about 900 bytes in ten objects a topic, which the caches of the processor hold for 1000 topics and not for 10 000. The hand-written client has one handler for all topics, and reads only its key in a `Map`.',
    ],
  },
  topics('topics, of which 1000 get prices', svcStreams, [1000, 100_000], 1000),
  topics('topics, hand-written client', 'hand-written/price-handlers', [1, 100_000]),
  subscribers,
  polls,
  consumers,
  sessions,
  rows,
  parameters,
]
