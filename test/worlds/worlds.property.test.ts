import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../support/run/long.js'
import { runLive } from './support/live-world.js'
import { market, rejects, slowMarket } from './support/market.js'
import { expectSame, withoutRepetitions } from './support/events.js'
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
      { numRuns: caseCount(60) },
    )
  })
})

// Their timers of whole milliseconds are due at the times of other events, so the number of repetitions may differ, and with
// it all later times. Each event outlasts the longest delay of a repetition, so the order of the events is the same.
describe.each(Object.entries(endless))(
  'a strategy that subscribes again without a delay: %s',
  (_, strategy) => {
    it('emits the same events in the same order live and in a replay of the recording', async () => {
      await fc.assert(
        fc.asyncProperty(
          slowMarket.filter((steps) => !rejects(steps)),
          async (steps) => {
            const live = runLive(steps, strategy)
            expect(withoutRepetitions(await runReplay(live, strategy))).toEqual(
              withoutRepetitions(live.lines),
            )
          },
        ),
        { numRuns: caseCount(40) },
      )
    })
  },
)
