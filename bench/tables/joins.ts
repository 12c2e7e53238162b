import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

const few = 5_000
const many = 40_000

interface Candidate {
  readonly stream: string
  /** Which subscribers leave first. */
  readonly order: string
}

interface JoinResult {
  readonly joining: number
  readonly leaving: number
}

const streams = ['one topic', 'a topic each', 'one poll', 'status$']
const candidates: readonly Candidate[] = streams.flatMap((stream) =>
  ['first', 'last', 'random'].map((order) => ({ stream, order })),
)

/** The cost of joining and leaving a stream, by the number of subscribers. */
export const joins = async ({ rounds }: Settings): Promise<Section> => {
  const measured = await inRounds(rounds, candidates, (candidate) =>
    withChild('programs/joins.mjs', async (child) => ({
      few: await child.request<JoinResult>('run', { ...candidate, count: few, total: many }),
      many: await child.request<JoinResult>('run', { ...candidate, count: many, total: many }),
    })),
  )
  const cells = (candidate: Candidate, step: keyof JoinResult): readonly string[] => {
    const withFew = valuesOf(measured, candidate, (result) => result.few[step])
    const withMany = valuesOf(measured, candidate, (result) => result.many[step])
    return [withFew, withMany, ratios(withMany, withFew)].map((values) => formatSpread(spreadOf(values)))
  }
  return {
    method: `CPU per subscriber in µs, for ${few} and ${many} subscribers that join one after the other and then leave, ${rounds} rounds. Ratio: ${many} relative to ${few}, in the same round; 1.00 means that the cost does not depend on the number of subscribers.`,
    columns: [
      'Stream',
      'leaves first',
      'join, few',
      'join, many',
      'ratio',
      'leave, few',
      'leave, many',
      'ratio',
    ],
    rows: candidates.map((candidate) => [
      candidate.stream,
      candidate.order,
      ...cells(candidate, 'joining'),
      ...cells(candidate, 'leaving'),
    ]),
  }
}
