import { describe, expect, it } from 'vitest'
import { runChaos } from './chaos.js'
import { isLong } from '../support/run/long.js'

describe('a client with a faulty network and a faulty service', () => {
  it.concurrent.each(isLong ? [1, 2, 3, 4, 5, 6] : [1, 6])(
    'delivers every price once and no old price as current: seed %i',
    async (seed) => {
      const { findings, figures, unrecovered } = await runChaos({ seed, actionCount: 60, minDelivered: 301 })
      expect(findings).toEqual({ violations: [], lost: 0, staleAsFresh: 0, tooOld: 0 })
      expect(unrecovered).toEqual([])
      // The run must contain enough events to be meaningful.
      expect(figures.connections).toBeGreaterThan(3)
      expect(figures.disconnects).toBeGreaterThan(10)
      expect(figures.delivered).toBeGreaterThan(300)
      expect(figures.fastPath).toBeGreaterThan(100)
    },
  )
})
