import { expect, it } from 'vitest'
import { runChaos } from './chaos.js'

it('a client with a faulty network and a faulty service delivers every price once and no old price as current', async () => {
  const { findings, figures, unrecovered } = await runChaos({ seed: 1, actionCount: 60, minDelivered: 301 })
  expect(findings).toEqual({ violations: [], lost: 0, staleAsFresh: 0, tooOld: 0 })
  expect(unrecovered).toEqual([])
  // The run must contain enough events to be meaningful.
  expect(figures.connections).toBeGreaterThan(3)
  expect(figures.disconnects).toBeGreaterThan(10)
  expect(figures.delivered).toBeGreaterThan(300)
  expect(figures.fastPath).toBeGreaterThan(100)
})
