import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { withoutTime } from './support/events.js'
import { runLive } from './support/live-world.js'
import { market, rejects } from './support/market.js'
import { runReplay } from './support/other-worlds.js'
import { timeless } from './support/strategies.js'

/** Their later subscribers come after a timer of 0 ms, which takes 1 ms: real ones in a replay at 50, recorded ones live. */
const withTurns = /new subscription|again|depth while|late subscriber of depth/

it('each strategy without timers emits at speed 50 what it emits live', async () => {
  const [steps = []] = fc.sample(
    market.filter((each) => !rejects(each)),
    { numRuns: 1, seed: inject('seed') },
  )
  const names = Object.keys(timeless).filter((name) => !withTurns.test(name))
  await Promise.all(
    names.map(async (name) => {
      const strategy = timeless[name]!
      const live = runLive(steps, strategy)
      const lines = withoutTime(await runReplay(live, strategy, { speed: 50 }))
      const expected = withoutTime(live.lines)
      // What follows is of the last row, which ends the replay.
      expect(lines.slice(0, expected.length), name).toEqual(expected)
    }),
  )
})
