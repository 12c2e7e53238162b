import { expect, it } from 'vitest'
import { runProgram } from '../support/process/node-process.js'

/**
 * No garbage collection during a round, which would make the figure smaller. V8 compiles at the same call in each run, also on a
 * busy machine: in a thread of its own it may be late, and then compiles other functions together.
 */
const flags = [
  '--expose-gc',
  '--max-semi-space-size=128',
  '--min-semi-space-size=128',
  '--no-concurrent-recompilation',
]

type Figures = Readonly<
  Record<'conflate' | 'candles' | 'freshWithin' | 'combineFresh' | 'clock' | 'results', number>
>

it('allocates nothing per event beside the emitted values and the numbers of a clock reading and of `receivedAt`', async () => {
  const { figures } = JSON.parse(await runProgram('test/operators/programs/allocations.ts', [], flags)) as {
    figures: Figures
  }
  const { conflate, candles, freshWithin, combineFresh, clock, results } = figures
  expect(conflate).toBeLessThan(1)
  // The window of a candle is decided by `receivedAt`.
  expect(candles).toBeLessThan(2 * clock + 1)
  expect(freshWithin).toBeLessThan(clock + 1)
  expect(combineFresh).toBeLessThan(results + clock + 1)
})
