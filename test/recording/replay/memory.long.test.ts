import { describe, expect, it } from 'vitest'
import { runProgram } from '../../support/process/node-process.js'

describe('the replay of a long recording', () => {
  it('uses memory that does not grow with the length of the recording', async () => {
    const output = await runProgram('test/recording/programs/replay-long-recording.ts', [], ['--expose-gc'])
    const { candles, heap, finished } = JSON.parse(output) as {
      readonly candles: number
      readonly heap: readonly number[]
      readonly finished: unknown
    }
    expect(candles).toBe(66)
    expect(finished).toEqual({ _tag: 'Right', right: { rows: 200_000 } })
    // The first tenth includes the compilation of the code.
    const [, ...later] = heap
    expect(Math.max(...later) - Math.min(...later)).toBeLessThan(5_000_000)
  })
})
