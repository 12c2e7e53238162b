import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import { createDepthBodies } from '../server/depth-bodies.js'
import type { Settings } from '../settings.js'

interface Operation {
  readonly name: string
  readonly operation: string
}

interface Comparison {
  readonly title: string
  readonly what: string
  readonly times: number
  /** The first is what the others are compared with. */
  readonly operations: readonly [Operation, ...Operation[]]
}

const signing: Comparison = {
  title: 'Depth: signing',
  what: 'Time to sign one request',
  times: 25_000,
  operations: [
    { name: '`createHmac` with a `KeyObject`', operation: 'sign-by-hand' },
    { name: '**svc-streams**, as `depth` signs', operation: 'sign-project' },
    { name: '**svc-streams** `signRequest`, the key as text each time', operation: 'sign-request' },
  ],
}

const decoding: Comparison = {
  title: 'Depth: decoding a body',
  what: 'Time to decode one body',
  times: 60_000,
  operations: [
    { name: '`JSON.parse`, quantities not exact', operation: 'json-parse' },
    { name: '**svc-streams** `decodeDepth`', operation: 'decode-depth' },
  ],
}

interface Done {
  readonly microseconds: number
  readonly results: string
}

const bodies = createDepthBodies(1000)

const compare =
  ({ title, what, times, operations }: Comparison) =>
  async ({ rounds }: Settings): Promise<Section> => {
    const measured = await inRounds(rounds, operations, ({ operation }) =>
      withChild('programs/operations.mjs', (child) => child.ask<Done>('run', { operation, times, bodies })),
    )
    const results = new Set([...measured.values()].flat().map((done) => done.results))
    if (results.size !== 1) throw new Error(`${title}: the results differ`)
    const micros = (operation: Operation) => valuesOf(measured, operation, ({ microseconds }) => microseconds)
    return {
      title,
      method: `${what} in a warm process, CPU in µs, ${times} times a round, ${rounds} rounds; all must give the same. Cost: relative to the first, lower is better.`,
      columns: ['How', 'µs', 'cost'],
      rows: operations.map((operation) => [
        operation.name,
        withSpread(spreadOf(micros(operation))),
        withSpread(spreadOf(ratios(micros(operation), micros(operations[0])))),
      ]),
    }
  }

export const depthSigning = compare(signing)
export const depthDecoding = compare(decoding)
