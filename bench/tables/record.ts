import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

interface RecordResult {
  readonly microseconds: number
  readonly results: string
}

const candidates = [
  { name: '`writeSync` of `JSON.stringify`', kind: 'hand-written' },
  { name: '**svc-streams** `record`', kind: 'svc-streams' },
] as const

type Candidate = (typeof candidates)[number]

/** The cost of a recorded price, relative to a synchronous write of the same row. */
export const recordedPrices = async ({ rounds, quick }: Settings): Promise<Section> => {
  const repetitions = quick ? 50_000 : 300_000
  const measured = await inRounds<Candidate, RecordResult>(rounds, candidates, ({ kind }) =>
    withChild('programs/record.mjs', (child) => child.request<RecordResult>('run', { kind, repetitions })),
  )
  const distinct = new Set([...measured.values()].flat().map(({ results }) => results))
  if (distinct.size !== 1) throw new Error('the recordings differ')
  const micros = (candidate: Candidate) => valuesOf(measured, candidate, ({ microseconds }) => microseconds)
  return {
    method: `CPU in µs per price, from the event to the row in the file, ${repetitions} prices per round after as many to warm up, ${rounds} rounds. Each row is written synchronously, in one write. The rows must be equal, apart from their times. Cost: relative to the first row, lower is better.`,
    columns: ['Recorder', 'µs per price', 'cost'],
    rows: candidates.map((candidate) => [
      candidate.name,
      formatSpread(spreadOf(micros(candidate))),
      formatSpread(spreadOf(ratios(micros(candidate), micros(candidates[0])))),
    ]),
    notes: [
      'In a CPU profile of `record`, the write to the file takes 39 %, and the text of the row, with its checks, 18 %.',
    ],
  }
}
