import { describe, expect, it } from 'vitest'
import { chaos } from './chaos.js'

describe('in a bad network, before a bad service', () => {
  it.concurrent.each([1, 2, 3, 4, 5, 6])('nothing is lost and nothing old is new: seed %i', async (seed) => {
    const { findings, figures, aftermath } = await chaos({ seed, faults: 60 })
    expect(findings).toEqual({ violations: [], lost: 0, staleAsFresh: 0 })
    expect(aftermath).toEqual([])
    // Where nothing happens, nothing is shown.
    expect(figures.connections).toBeGreaterThan(3)
    expect(figures.disconnects).toBeGreaterThan(10)
    expect(figures.told).toBeGreaterThan(300)
    expect(figures.shortWay).toBeGreaterThan(100)
  })
})
