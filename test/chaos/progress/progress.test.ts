import { describe, expect, it } from 'vitest'
import { isLong } from '../../support/run/long.js'
import { bounds, runProgressChaos } from './progress.js'

describe('a client with a service that answers at random', () => {
  it.concurrent.each(isLong ? [1, 2, 3, 4, 5, 6] : [5, 6])(
    'requests each wanted topic within the liveness bound and leaves nothing else subscribed: seed %i',
    async (seed) => {
      const { longest, problems, rejections, timeouts } = await runProgressChaos(seed, 150)
      expect(problems).toEqual([])
      expect(longest.wanted).toBeLessThanOrEqual(bounds.wanted)
      // A run without these events proves nothing. Their number depends on real time.
      expect(rejections).toBeGreaterThan(0)
      expect(timeouts).toBeGreaterThan(0)
    },
  )
})
