import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import { createDepthBodies } from '../server/depth-bodies.js'
import type { Settings } from '../settings.js'

interface Operation {
  readonly name: string
  readonly operation: string
}

interface Comparison {
  readonly measurement: string
  readonly repetitions: number
  readonly notes?: readonly string[]
  /** The first is the baseline. */
  readonly operations: readonly [Operation, ...Operation[]]
}

const signing: Comparison = {
  measurement: 'Time to sign one request',
  repetitions: 25_000,
  operations: [
    { name: '`createHmac` with a `KeyObject`', operation: 'sign-hand-written' },
    { name: '**svc-streams** in `depth`', operation: 'sign-svc-streams' },
    { name: '**svc-streams** `signRequest`, with the key as base64', operation: 'sign-request' },
  ],
}

const decoding: Comparison = {
  measurement: 'Time to decode one body',
  repetitions: 60_000,
  notes: [
    'A quarter of `decodeDepth` is `Object.defineProperty`: it gives both sides a `toJSON` that comparisons and copies do not see, so that `JSON.stringify` accepts a depth.',
  ],
  operations: [
    { name: '`JSON.parse`, quantities not exact', operation: 'json-parse' },
    { name: '**svc-streams** `decodeDepth`', operation: 'decode-depth' },
  ],
}

interface OperationResult {
  readonly microseconds: number
  readonly results: string
}

const bodies = createDepthBodies(1000)

const compare =
  ({ measurement, repetitions, notes = [], operations }: Comparison) =>
  async ({ rounds }: Settings): Promise<Section> => {
    const measured = await inRounds(rounds, operations, ({ operation }) =>
      withChild('programs/operations.mjs', (child) =>
        child.request<OperationResult>('run', { operation, repetitions, bodies }),
      ),
    )
    const distinct = new Set([...measured.values()].flat().map(({ results }) => results))
    if (distinct.size !== 1) throw new Error(`${measurement}: the results differ`)
    const micros = (operation: Operation) => valuesOf(measured, operation, ({ microseconds }) => microseconds)
    return {
      method: `${measurement} in a warm process, CPU in µs, ${repetitions} times per round, ${rounds} rounds. The results must be equal. Cost: relative to the first row, lower is better.`,
      columns: ['Operation', 'µs', 'cost'],
      rows: operations.map((operation) => [
        operation.name,
        formatSpread(spreadOf(micros(operation))),
        formatSpread(spreadOf(ratios(micros(operation), micros(operations[0])))),
      ]),
      notes,
    }
  }

export const depthSigning = compare(signing)
export const depthDecoding = compare(decoding)
