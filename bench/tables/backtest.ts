import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { costOfProgram } from '../process/cost-of-program.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

const byHand = { name: 'by hand: readline, `JSON.parse`, one position', way: 'by hand' }

const ways = [
  byHand,
  { name: 'grademark', way: 'grademark' },
  { name: '**svc-streams** `replay` and `paper`', way: 'svc-streams' },
]

const [topic = ''] = topicsOf(1)

/** The cost of a row of a backtest that trades at the crossings of an average. */
export const backtests = ({ rounds, replayRows }: Settings): Promise<Section> =>
  withRecording({ rows: replayRows, topics: 1, depthEvery: 10 }, async (recording) => {
    const measured = await inRounds(rounds, ways, ({ way }) =>
      costOfProgram('programs/backtest.mjs', [way, recording, topic]),
    )
    const micros = (way: typeof byHand) => valuesOf(measured, way, ({ cpuMs }) => (1000 * cpuMs) / replayRows)
    return {
      method: `One strategy over a recording of ${replayRows} rows of one topic, each tenth a depth: it holds the token while its price is above the average of the last 500. CPU from the start of the program to its exit, and the peak memory of the process, ${rounds} rounds. By hand and grademark fill an order at the next price, the account at the next depth, by its quantities. Cost: relative to the first row in the same round, lower is better.`,
      columns: ['Way', 'MB', 'µs a row', 'cost'],
      rows: ways.map((way) => [
        way.name,
        formatSpread(spreadOf(valuesOf(measured, way, ({ peakMegabytes }) => peakMegabytes))),
        formatSpread(spreadOf(micros(way))),
        formatSpread(spreadOf(ratios(micros(way), micros(byHand)))),
      ]),
    }
  })
