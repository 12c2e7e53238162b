import { describe, expect, it } from 'vitest'
import { runProgram } from '../support/process/node-process.js'

describe('a long recording', () => {
  it('is replayed in memory that does not grow with it', async () => {
    const printed = await runProgram('test/recording/programs/long-recording.ts', [], ['--expose-gc'])
    const { candles, heap, finished } = JSON.parse(printed) as {
      readonly candles: number
      readonly heap: readonly number[]
      readonly finished: unknown
    }
    expect(candles).toBe(66)
    expect(finished).toEqual({ _tag: 'Right', right: { rows: 200_000 } })
    // The first tenth is that in which code is compiled.
    const [, ...later] = heap
    expect(Math.max(...later) - Math.min(...later)).toBeLessThan(5_000_000)
  })
})
