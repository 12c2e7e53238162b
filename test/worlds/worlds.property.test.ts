import fc from 'fast-check'
import { describe, it } from 'vitest'
import { caseCount } from '../support/run/long.js'
import { runLive } from './support/live-world.js'
import { market, rejects } from './support/market.js'
import { expectSame } from './support/events.js'
import { runMarbles, runReplay } from './support/other-worlds.js'
import { endless, resubscribing, strategies } from './support/strategies.js'

describe.each(Object.entries(strategies))('the strategy: %s', (name, strategy) => {
  it('emits the same live, in a replay of the recording, and with a test client', async () => {
    await fc.assert(
      fc.asyncProperty(market, fc.integer({ min: 50, max: 5000 }), async (steps, pieceLength) => {
        fc.pre(!rejects(steps) || !resubscribing.includes(name))
        const live = runLive(steps, strategy)
        expectSame(await runReplay(live, strategy, { pieceLength }), live.lines)
        // A timer of 0 ms takes 1 ms, but none under `TestScheduler`.
        expectSame(runMarbles(live, strategy), live.lines, 1)
      }),
      { numRuns: caseCount(150) },
    )
  })
})

// Not with a test client: a timer of 0 ms takes 1 ms here, so that a test client counts one more event at once.
describe.each(Object.entries(endless))(
  'a strategy that subscribes again without a delay: %s',
  (_, strategy) => {
    it('emits the same live and in a replay of the recording', async () => {
      await fc.assert(
        fc.asyncProperty(
          market.filter((steps) => !rejects(steps)),
          async (steps) => {
            const live = runLive(steps, strategy)
            expectSame(await runReplay(live, strategy), live.lines)
          },
        ),
        { numRuns: caseCount(100) },
      )
    })
  },
)
