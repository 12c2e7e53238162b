import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

const rows = 100_000
const [topic] = topicsOf(1)
const lengths = [10, 20, 50, 100, 200, 500, 1000, 2000]
const parameters = lengths.map((length) => ({ topic, length }))

/** The first is the baseline. */
const ways = [
  { name: 'one after another, `replay().run$`', way: 'by-hand', workers: 1 },
  { name: '**svc-streams** `sweep`, 1 worker', way: 'sweep', workers: 1 },
  { name: '**svc-streams** `sweep`, 2 workers', way: 'sweep', workers: 2 },
] as const

interface SweepMeasurement {
  readonly seconds: number
  readonly cpuMicroseconds: number
  /** The values of each parameter, as JSON. */
  readonly values: string
}

/** The duration of a strategy with several parameters, in worker threads and one after another. */
export const sweepDurations = ({ rounds }: Settings): Promise<Section> =>
  withRecording({ rows, topics: 1 }, async (recording) => {
    const measured = await inRounds(rounds, ways, ({ way, workers }) =>
      runSweep({ way, workers, recording, parameters }),
    )
    const distinct = new Set([...measured.values()].flat().map(({ values }) => values))
    if (distinct.size !== 1) throw new Error('the values of the strategies differ')
    const seconds = (way: (typeof ways)[number]) => valuesOf(measured, way, (result) => result.seconds)
    return {
      method: `Wall-clock time in s, with the start of the worker threads, over a recording of ${rows.toLocaleString('en-US')} rows, in a new process, ${rounds} rounds. The values must be equal. Ratio: to the first row, lower is better.`,
      columns: ['Way', 's', 'ratio'],
      rows: ways.map((way) => [
        way.name,
        formatSpread(spreadOf(seconds(way))),
        formatSpread(spreadOf(ratios(seconds(way), seconds(ways[0])))),
      ]),
    }
  })

const manyParameters = Array.from({ length: 64 }, (_, index) => ({ topic, length: index + 10 }))

/** The first is the baseline. */
const rxWays = [
  { name: 'a plain Rx loop: readline, `JSON.parse`, one `Subject`', way: 'rx' },
  { name: '**svc-streams** `sweep`, 1 worker', way: 'sweep' },
] as const

/** The cost of a parameter and a row, beside a loop without clocks, errors and isolation. */
export const sweepCosts = ({ rounds }: Settings): Promise<Section> =>
  withRecording({ rows, topics: 1 }, async (recording) => {
    const measured = await inRounds(rounds, rxWays, ({ way }) =>
      runSweep({ way, workers: 1, recording, parameters: manyParameters }),
    )
    if (new Set([...measured.values()].flat().map(({ values }) => values)).size !== 1)
      throw new Error('the values of the strategies differ')
    const micros = (way: (typeof rxWays)[number]) =>
      valuesOf(measured, way, ({ cpuMicroseconds }) => cpuMicroseconds / rows / manyParameters.length)
    return {
      method: `CPU in µs per parameter and row of a recording of ${rows.toLocaleString('en-US')} prices, in a new process, ${rounds} rounds. The strategy is a moving average of 10 to 73 prices, and the values must be equal. Cost: relative to the first row in the same round, lower is better.`,
      columns: ['Way', 'µs', 'cost'],
      rows: rxWays.map((way) => [
        way.name,
        formatSpread(spreadOf(micros(way))),
        formatSpread(spreadOf(ratios(micros(way), micros(rxWays[0])))),
      ]),
      limit: [undefined, 1.25],
    }
  })

const accountRows = 177_000

/** The first is the baseline. */
const accounts = [
  { name: 'orders, counted', hasAccount: false },
  { name: '**svc-streams** `paper`, with the same orders', hasAccount: true },
] as const

/** The duration of a strategy that returns orders, without an account and with one. */
export const accountDurations = ({ rounds }: Settings): Promise<Section> => {
  const topics = topicsOf(2)
  return withRecording({ rows: accountRows, topics: 2, depthEvery: 10 }, async (recording) => {
    const measured = await inRounds(rounds, accounts, ({ hasAccount }) =>
      runSweep({
        ...{ way: 'sweep', workers: 1, recording, strategy: 'paper-strategy.mjs' },
        parameters: lengths.map((length) => ({ topics, length, hasAccount })),
      }),
    )
    const cpu = (account: (typeof accounts)[number]) =>
      valuesOf(measured, account, (result) => result.cpuMicroseconds / 1e6)
    return {
      method: `CPU time in s of a sweep with 1 worker thread and eight parameters over a recording of ${accountRows.toLocaleString('en-US')} rows, each tenth a depth, in a new process, ${rounds} rounds. The strategy is a pair; with the eight parameters it turns once in 20 to 3,000 prices, and each turn is two orders. Ratio: to the first row, lower is better.`,
      columns: ['Way', 's', 'ratio'],
      rows: accounts.map((account) => [
        account.name,
        formatSpread(spreadOf(cpu(account))),
        formatSpread(spreadOf(ratios(cpu(account), cpu(accounts[0])))),
      ]),
      limit: [undefined, 1.3],
    }
  })
}

/** Runs a strategy with each parameter, in a new process. `length`: the number of prices of its average. */
export const runSweep = (task: {
  readonly way: (typeof ways)[number]['way'] | 'rx'
  readonly workers: number
  readonly recording: string
  readonly parameters: readonly { readonly length: number }[]
  /** A module of the programs. Default: one that needs a `topic`. */
  readonly strategy?: string
}): Promise<SweepMeasurement> =>
  withChild('programs/sweep.mjs', (child) => child.request<SweepMeasurement>('run', task))
