import { describe, expect, it } from 'vitest'
import { runProgram } from '../support/process/node-process.js'

// Memory, measured in separate processes. Each takes seconds: only `npm run test:soak` runs them.

/** Keeps compiled code, which is on the measured heap, from growing and shrinking. */
const uncompiled = ['--expose-gc', '--no-opt', '--no-maglev', '--no-sparkplug', '--no-flush-bytecode']

describe('the heap does not grow, and Node prints no warning, after', () => {
  it.each([
    // One retained listener per cycle would exceed this; lazy one-time allocations stay below it.
    [
      '10 000 subscriptions to price$, depth$, errors$ and status$ with other subscribers',
      'streams with other subscribers',
      32,
    ],
    ['10 000 subscriptions to a topic without other subscribers', 'price$ without other subscribers', 32],
    // Sockets of aborted requests add noise. A retained request would be several kB.
    ['1000 polls of a mint without other subscribers', 'depth$ without other subscribers', 400],
    ['10 000 subscriptions that take over a poll', 'a depth$ that lingers', 32],
    ['1000 reconnects', 'reconnects', 32],
    ['1000 clients that share a signal', 'clients that share a signal', 32],
  ])('%s', async (_title, scenario, bytes) => {
    const { bytesPerCycle, warnings, listeners } = JSON.parse(
      await runProgram('test/promises/programs/heap-growth.ts', [scenario], uncompiled),
    ) as {
      bytesPerCycle: number
      warnings: readonly string[]
      listeners: number
    }
    expect(bytesPerCycle).toBeLessThan(bytes)
    expect(warnings).toEqual([])
    expect(listeners).toBe(0)
  })
})

describe('a burst of 100 000 prices to a busy handler', () => {
  it('keeps memory bounded, because the socket is read no faster than the handler consumes', async () => {
    const printed = await runProgram('test/promises/programs/slow-handler.ts')
    const { received, isInOrder, sentMB, maxAheadMB, maxUsedMB } = JSON.parse(printed) as Reading
    expect({ received, isInOrder }).toEqual({ received: 100_001, isInOrder: true })
    expect(sentMB).toBeGreaterThan(100)
    expect(maxAheadMB).toBeLessThan(sentMB / 3)
    expect(maxUsedMB).toBeLessThan(sentMB / 3)
  })
})

/** Output of the program. */
interface Reading {
  readonly received: number
  readonly isInOrder: boolean
  readonly sentMB: number
  /** Most data sent and not yet handled: in the buffers of the system and of the client. */
  readonly maxAheadMB: number
  /** Largest growth of the memory of the client's thread. */
  readonly maxUsedMB: number
}
