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
  readonly kind: 'hand-written' | 'plain' | 'svc-streams'
}

const names: Readonly<Record<string, string>> = {
  'combine-fresh': '`combineFresh` of two legs',
  conflate: '`conflate`',
  candles: '`candles`',
  'fresh-within': '`freshWithin`',
  snapshots: '`snapshots`',
  rolling: '`rolling` over 1000 values',
}

const groups = Object.keys(names).map((operator): readonly [Candidate, Candidate, Candidate] => [
  { operator, kind: 'hand-written' },
  { operator, kind: 'plain' },
  { operator, kind: 'svc-streams' },
])

/** The cost of an operator per event, relative to the same work over plain callbacks. */
export const operatorCosts = async ({ rounds, quick }: Settings): Promise<Section> => {
  const repetitions = quick ? 500_000 : 4_000_000
  const measured = await inRounds(rounds, groups.flat(), (candidate) =>
    withChild('programs/operators.mjs', (child) =>
      child.request<OperatorResult>('run', { ...candidate, repetitions }),
    ),
  )
  for (const group of groups) {
    const distinct = new Set(
      group.flatMap((candidate) => measured.get(candidate)?.map(({ results }) => results)),
    )
    if (distinct.size !== 1) throw new Error(`${group[0].operator}: the results differ`)
  }
  const nanos = (candidate: Candidate) => valuesOf(measured, candidate, ({ nanoseconds }) => nanoseconds)
  return {
    method: `CPU in ns per event of the source, with all timers, ${repetitions} events per round in bursts of 1000 after two such runs to warm up, ${rounds} rounds. The source calls one callback. By hand: the same work over plain callbacks, with the clock readings and timers that it needs. In an Observable: that work in a \`new Observable\` which subscribes to its source, as users write an operator. The results must be equal. Cost: relative to the work by hand, lower is better.`,
    columns: ['Operator', 'by hand, ns', 'in an Observable, ns', 'svc-streams, ns', 'cost'],
    rows: groups.map(([hand, plain, own]) => [
      names[hand.operator] ?? hand.operator,
      formatSpread(spreadOf(nanos(hand))),
      formatSpread(spreadOf(nanos(plain))),
      formatSpread(spreadOf(nanos(own))),
      formatSpread(spreadOf(ratios(nanos(own), nanos(hand)))),
    ]),
  }
}
