import { pathToFileURL } from 'node:url'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { concat, defer, of, type Observable } from 'rxjs'
import type { Client } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SweepResult } from '../../../src/backtest/sweep/index.js'
import { inOrder } from '../../../src/backtest/sweep/sweep.js'
import { collect, start } from '../recording/support/recordings.js'
import { caseCount, isLong } from '../../support/run/long.js'
import { newModule, recordingOf, runSweep, strategy, type Behaviour } from './support/run-sweep.js'

const rows = 1200

let recording: string
let module: URL
/** The results of the parameters of `ended`, each alone. */
let expected: readonly SweepResult<Behaviour, unknown>[]

beforeAll(async () => {
  recording = recordingOf(rows)
  module = strategy()
  const results = []
  for (const parameter of ended) results.push(await alone(parameter))
  expected = results
})

const ended: readonly Behaviour[] = [
  { kind: 'prices' },
  { kind: 'prices', every: 7 },
  { kind: 'candles', ms: 1000 },
  { kind: 'candles', ms: 7000 },
  { kind: 'candles with past', ms: 1000, after: 5500 },
  { kind: 'candles with past', ms: 1000, after: 7777 },
  { kind: 'first', count: 3 },
  { kind: 'ticks', ms: 450 },
  { kind: 'close client', row: 500 },
  { kind: 'open topics' },
  { kind: 'never' },
  { kind: 'empty' },
  { kind: 'time' },
]

/** The result of a parameter that runs alone in this process. */
const alone = async (parameter: Behaviour): Promise<SweepResult<Behaviour, unknown>> => {
  // @ts-expect-error it is a module of JavaScript, as those of users are
  const { default: run } = (await import('./support/strategy.mjs')) as {
    readonly default: (client: Client, parameter: Behaviour) => Observable<unknown>
  }
  const client = replay(recording, { speed: Infinity })
  const values = await collect(client.run$((inner) => run(inner, parameter)))
  const finished = await client.finished
  if (isLeft(finished)) throw new Error(finished.left.message)
  return right({ parameter, values, summary: { rows: finished.right.rows } })
}

describe('sweep', () => {
  it.each(isLong ? [1, 2, 4, 8] : [1, 3])(
    'with %i workers has the results of each parameter alone',
    async (workers) => {
      const results = await collect(runSweep(recording, ended, { workers }, {}, module))
      expect(results).toEqual(expected)
      expect(results.filter(isRight).flatMap(({ right: { values } }) => values).length).toBeGreaterThan(rows)
    },
  )

  it('returns the parameters themselves', async () => {
    const parameter = { kind: 'first', count: 1 }
    const [result] = await collect(runSweep(recording, [parameter], {}, {}, module))
    expect(result?._tag === 'Right' && result.right.parameter).toBe(parameter)
  })

  it('reads the recording once per worker', async () => {
    const text = `import { map } from 'rxjs'
let seen = 0
export default ({ price$ }) => price$('svc-0xab').pipe(map(() => ++seen))`
    const file = pathToFileURL(newModule('strategy.mjs', text))
    const parameters = [{ kind: 'first' }, { kind: 'second' }]
    const results = await collect(runSweep(recording, parameters, { workers: 1 }, {}, file))
    expect(results.map((result) => isRight(result) && result.right.values.slice(0, 2))).toEqual([
      [1, 3],
      [2, 4],
    ])
  })

  it('plays a part of a recording that is given by its URL', async () => {
    const sources = [pathToFileURL(recording)]
    const options = { from: start + 100, to: start + 400 }
    const [result] = await collect(runSweep(sources, [{ kind: 'prices' }], options, {}, module))
    expect(result?._tag === 'Right' && result.right).toMatchObject({
      values: [101, 102, 103],
      summary: { rows: 3 },
    })
  })

  it('completes at once without parameters', async () => {
    expect(await collect(runSweep(recording, [], {}, {}, module))).toEqual([])
  })

  it('runs again for each subscription, and two at once', async () => {
    const result$ = runSweep(recording, [{ kind: 'first', count: 2 }], {}, {}, module)
    const [first, second] = await Promise.all([collect(result$), collect(result$)])
    expect(first).toEqual(second)
    expect(first).toHaveLength(1)
  })

  it('has the results of many parameters, in their order', { timeout: 120_000 }, async () => {
    const short = recordingOf(20)
    const parameters = Array.from({ length: caseCount(10_000) }, (_, count) => ({
      kind: 'first',
      count,
    }))
    const results = await collect(runSweep(short, parameters, { workers: 2 }, {}, module))
    expect(results.map((result) => (isRight(result) ? result.right.values.length : -1))).toEqual(
      parameters.map(({ count }) => Math.min(count, 20)),
    )
  })

  it.each([
    ['an ES module', 'strategy.mjs', `import { of } from 'rxjs'\nexport default (_, n) => of(n.kind)`],
    ['CommonJS', 'strategy.cjs', `const { of } = require('rxjs')\nmodule.exports = (_, n) => of(n.kind)`],
    [
      'a default export that a compiler has written as CommonJS',
      'strategy.cjs',
      `const { of } = require('rxjs')\nexports.__esModule = true\nexports.default = (_, n) => of(n.kind)`,
    ],
  ])('runs %s', async (_, name, text) => {
    const path = pathToFileURL(newModule(name, text))
    const [result] = await collect(runSweep(recording, [{ kind: 'x' }], {}, {}, path))
    expect(result?._tag === 'Right' && result.right.values).toEqual(['x'])
  })
})

describe('inOrder', () => {
  it('emits each value as soon as all before it have arrived', async () => {
    const values = [2, 0, 3, 1].map((index) => ({ index }))
    const seen: string[] = []
    const ordered$ = concat(
      ...values.map((value) =>
        defer(() => {
          seen.push(`arrives ${value.index}`)
          return of(value)
        }),
      ),
    ).pipe(inOrder())
    await ordered$.forEach(({ index }) => seen.push(`emits ${index}`))
    expect(seen.join(', ')).toBe(
      'arrives 2, arrives 0, emits 0, arrives 3, arrives 1, emits 1, emits 2, emits 3',
    )
  })
})

it('runs a hole of the parameters like undefined', async () => {
  const parameters = new Array<Behaviour>(3)
  parameters[0] = parameters[2] = { kind: 'empty' }
  const results = await collect(runSweep(recording, parameters))
  expect(results.map((result) => (isLeft(result) ? result.left.parameter : 'values'))).toEqual([
    'values',
    undefined,
    'values',
  ])
})

it('counts the values and rows from `from` on, after a warm-up whose state they have', async () => {
  const text =
    "import { scan } from 'rxjs'\nexport default (client) => client.price$('svc-0xab').pipe(scan((sum) => sum + 1, 0))"
  const counting = pathToFileURL(newModule('strategy.mjs', text))
  const run = async (warmUp: number) => {
    const options = { from: start + 1000, to: start + 1300, warmUp }
    const [result] = await collect(runSweep(recording, [{ kind: '' }], options, {}, counting))
    return result
  }
  const summary = { rows: 3 }
  expect(await run(0)).toMatchObject(right({ values: [1, 2, 3], summary }))
  expect(await run(500)).toMatchObject(right({ values: [6, 7, 8], summary }))
  expect(await run(1e9)).toMatchObject(right({ values: [11, 12, 13], summary }))
})
