import { inRounds } from '../measure/rounds.js'
import { costOfProgram } from '../process/cost-of-program.js'
import { costTable } from '../report/cost-table.js'
import type { Section } from '../report/markdown.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

const ways = [
  { name: 'by hand: readline, `JSON.parse`, one position', way: 'by hand' },
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
    return {
      method: `One strategy over a recording of ${replayRows} rows of one topic, each tenth a depth: it holds the token while its price is above the average of the last 500. CPU from the start of the program to its exit, and the peak memory of the process, ${rounds} rounds. By hand and grademark fill an order at the next price, the account at the next depth, by its quantities. Cost: relative to the first row in the same round, lower is better.`,
      ...costTable('Way', measured, replayRows),
    }
  })
