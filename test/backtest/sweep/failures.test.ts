import { pathToFileURL } from 'node:url'
import { isLeft } from 'fp-ts/lib/Either.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { collect } from '../recording/support/recordings.js'
import { isLong } from '../../support/run/long.js'
import { newModule, recordingOf, runSweep, strategy, type Behaviour } from './support/run-sweep.js'

let recording: string
let module: URL

beforeAll(() => {
  recording = recordingOf(1200)
  module = strategy()
})

const working: Behaviour = { kind: 'prices', every: 100 }

/** The errors of the parameters, or their numbers of values. */
const outcomes = async (
  parameters: readonly Behaviour[],
  workers: number,
  source = recording,
  limits: Parameters<typeof runSweep>[3] = {},
): Promise<readonly unknown[]> => {
  const results = await collect(runSweep(source, parameters, { workers }, limits, module))
  return results.map((result, index) => {
    if (!isLeft(result)) return result.right.values.length
    expect(result.left.parameter).toBe(parameters[index])
    expect(result.left._tag).toBe('SweepError')
    return [result.left.why, result.left.message]
  })
}

const failing: readonly (readonly [Behaviour, why: string, message: string])[] = [
  [{ kind: 'Rx error' }, 'strategy', 'the strategy failed: RangeError: an Rx error'],
  [{ kind: 'throw at once' }, 'strategy', 'the strategy failed: RangeError: thrown at once'],
  [{ kind: 'throw at a row', row: 1000 }, 'strategy', 'the strategy failed: RangeError: thrown at a row'],
  [
    { kind: 'throw a Left' },
    'strategy',
    'the strategy failed: SubscriptionRejected: svc-0xff: rejected by the service: it is not in the recording',
  ],
  [
    { kind: 'no observable' },
    'strategy',
    "the strategy failed: TypeError: You provided 'undefined' where a stream was expected.",
  ],
  [{ kind: 'exit', row: 1000 }, 'worker', 'the worker thread ended: it exited with code 3'],
  [{ kind: 'throw in a timer' }, 'worker', 'the worker thread ended: thrown in a timer'],
  [{ kind: 'throw in a handler' }, 'worker', 'the worker thread ended: thrown in a handler'],
  [{ kind: 'reject a promise' }, 'worker', 'the worker thread ended: rejected'],
  [{ kind: 'functions' }, 'value', 'value 2 of the strategy cannot be cloned: '],
]

describe('a parameter that fails', () => {
  it.each(failing)('%j is a Left alone', async (parameter, why, message) => {
    expect(await outcomes([parameter], 1)).toEqual([[why, expect.stringContaining(message)]])
  })

  it.each(isLong ? [1, 2, 4] : [4])(
    'does not affect the other parameters, with %i workers',
    async (workers) => {
      const parameters = failing.flatMap(([parameter]) => [parameter, working])
      expect(await outcomes(parameters, workers)).toEqual(
        failing.flatMap(([, why, message]) => [[why, expect.stringContaining(message)], 12]),
      )
    },
  )

  it('is a Left if it takes all memory of its thread', async () => {
    const parameters = [working, { kind: 'allocate', row: 1000 }, working]
    const limits = { resourceLimits: { maxOldGenerationSizeMb: 32 } }
    expect(await outcomes(parameters, 1, recording, limits)).toEqual([
      12,
      // Deno does not say why the thread has ended.
      ['worker', expect.stringMatching(/memory limit|it exited with code 0$/)],
      12,
    ])
    // Some runtimes need a second to start each of the five threads.
  }, 60_000)
})

describe('a recording', () => {
  it('that is damaged is a Left for each stream that has not ended before the damage', async () => {
    const parameters = [{ kind: 'first', count: 5 }, working, { kind: 'throw a Left' }, { kind: 'never' }]
    const damaged = recordingOf(10, '{"_tag":"Price"\n')
    const fault = ['recording', expect.stringMatching(/^line 12 of .*market.ndjson: expected JSON/)]
    expect(await outcomes(parameters, 1, damaged)).toEqual([
      5,
      fault,
      // A topic without a row is rejected at the end of the recording, which is not reached.
      fault,
      fault,
    ])
  })

  it('that does not exist is a Left for each parameter', async () => {
    const [result] = await collect(runSweep('/no/such.ndjson', [working], {}, {}, module))
    expect(result?._tag === 'Left' && result.left).toMatchObject({
      why: 'recording',
      message: '/no/such.ndjson does not exist (ENOENT)',
      error: { _tag: 'RecordingError', line: 1 },
    })
  })
})

describe('a module', () => {
  it.each([
    [
      'that does not exist',
      'export {}',
      'file:///no/such.mjs',
      /^the strategy cannot be loaded: .*such\.mjs/,
    ],
    [
      'with an error',
      "throw new Error('at import')",
      undefined,
      /^the strategy cannot be loaded: at import$/,
    ],
    [
      'with a syntax error',
      'export default () => {',
      undefined,
      /^the strategy cannot be loaded: .*, in file:.*strategy\.mjs or one of its imports$/,
    ],
    [
      'with an import that does not exist',
      "import { none } from 'node:fs'\nexport default none",
      undefined,
      /^the strategy cannot be loaded: .*'none'.*, in file:.*strategy\.mjs:1$/,
    ],
    [
      'that reads broken JSON',
      "const a = 1\nJSON.parse('{')",
      undefined,
      /^the strategy cannot be loaded: .*, in file:.*strategy\.mjs:2$/,
    ],
    [
      'without a function as its default export',
      'export const strategy = () => undefined',
      undefined,
      /expected a function \(client, parameter\), or \(client, account, parameter\) beside an export options, as the default export of file:.*strategy\.mjs$/,
    ],
  ])('%s is a Left for each parameter', async (_, text, url, message) => {
    const file = new URL(url ?? pathToFileURL(newModule('strategy.mjs', text)))
    const results = await collect(runSweep(recording, [working, working], { workers: 1 }, {}, file))
    expect(results).toHaveLength(2)
    for (const result of results) {
      expect(result._tag === 'Left' && result.left.why).toBe('module')
      expect(result._tag === 'Left' && result.left.message).toMatch(message)
    }
  })
})
