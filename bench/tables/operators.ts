import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

interface OperatorResult {
  readonly nanoseconds: number
  readonly results: string
}

interface Candidate {
  readonly operator: string
  readonly kind: 'hand-written' | 'svc-streams'
}

const names: Readonly<Record<string, string>> = {
  'combine-fresh': '`combineFresh` of two legs',
  conflate: '`conflate`',
  candles: '`candles`',
  'fresh-within': '`freshWithin`',
}

const pairs = Object.keys(names).map((operator): readonly [Candidate, Candidate] => [
  { operator, kind: 'hand-written' },
  { operator, kind: 'svc-streams' },
])

/** The cost of an operator per event, relative to the same work over plain callbacks. */
export const operatorCosts = async ({ rounds, quick }: Settings): Promise<Section> => {
  const repetitions = quick ? 500_000 : 4_000_000
  const measured = await inRounds(rounds, pairs.flat(), (candidate) =>
    withChild('programs/operators.mjs', (child) =>
      child.request<OperatorResult>('run', { ...candidate, repetitions }),
    ),
  )
  for (const pair of pairs) {
    const distinct = new Set(
      pair.flatMap((candidate) => measured.get(candidate)?.map(({ results }) => results)),
    )
    if (distinct.size !== 1) throw new Error(`${pair[0].operator}: the results differ`)
  }
  const nanos = (candidate: Candidate) => valuesOf(measured, candidate, ({ nanoseconds }) => nanoseconds)
  return {
    title: 'Operators',
    method: `CPU in ns per event of the source, with all timers, ${repetitions} events per round in bursts of 1000 after two such runs to warm up, ${rounds} rounds. The source calls one callback. By hand: the same work over plain callbacks, with the clock readings and timers that it needs. The results must be equal. Cost: relative to the work by hand, lower is better.`,
    columns: ['Operator', 'by hand, ns', 'svc-streams, ns', 'cost'],
    rows: pairs.map(([hand, own]) => [
      names[hand.operator] ?? hand.operator,
      formatSpread(spreadOf(nanos(hand))),
      formatSpread(spreadOf(nanos(own))),
      formatSpread(spreadOf(ratios(nanos(own), nanos(hand)))),
    ]),
  }
}
