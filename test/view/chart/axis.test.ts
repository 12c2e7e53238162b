import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeTicks, valueTicks } from '../../../src/view/chart/axis.js'

const labelsOf = (low: number, high: number, most: number) =>
  valueTicks(low, high, most).map(({ label }) => label)

describe('the values of an axis', () => {
  it('have the decimals of their distance, and commas', () => {
    expect(labelsOf(1_061_610, 1_061_800, 4)).toEqual(['1,061,650', '1,061,700', '1,061,750', '1,061,800'])
    expect(labelsOf(2500, 2501, 4)).toEqual([
      '2,500.0',
      '2,500.2',
      '2,500.4',
      '2,500.6',
      '2,500.8',
      '2,501.0',
    ])
    expect(labelsOf(0.00012, 0.00016, 4)).toEqual(['0.00012', '0.00013', '0.00014', '0.00015', '0.00016'])
    expect(labelsOf(1.5e12, 1.7e12, 2)).toEqual(['1.5e12', '1.6e12', '1.7e12'])
    expect(labelsOf(1.23e-12, 1.24e-12, 2)).toEqual(['1.230e-12', '1.235e-12', '1.240e-12'])
  })

  it('are at least three with room for a label, for any values, and different', () => {
    const value = fc.double({ min: 1e-12, max: 1e15, noNaN: true })
    fc.assert(
      fc.property(value, value, fc.integer({ min: 2, max: 12 }), (a, b, most) => {
        const [low, high] = [Math.min(a, b) * 0.999, Math.max(a, b) * 1.001]
        const labels = labelsOf(low, high, most)
        expect(labels.length).toBeGreaterThanOrEqual(3)
        expect(labels.length).toBeLessThanOrEqual(3 * most + 3)
        expect(new Set(labels).size).toBe(labels.length)
        for (const label of labels) expect(label.length).toBeLessThan(16)
      }),
    )
    const covered = valueTicks(0, 100, 3, (each) => each < 45 || each > 55)
    expect(covered.map(({ label }) => label)).toEqual(['0', '20', '40', '60', '80', '100'])
    const dense = valueTicks(0, 1.9, 2.65, (each) => each > 1.1 && each < 1.9)
    expect(dense.map(({ label }) => label)).toEqual([
      '0.00',
      '0.25',
      '0.50',
      '0.75',
      '1.00',
      '1.25',
      '1.50',
      '1.75',
    ])
  })
})

describe('the times of an axis', () => {
  it('are multiples of a step of the clock, of the offset of a zone', () => {
    expect(timeTicks(1000, 61_000, 4)).toEqual([
      { value: 15_000, label: '00:00:15' },
      { value: 30_000, label: '00:00:30' },
      { value: 45_000, label: '00:00:45' },
      { value: 60_000, label: '00:01:00' },
    ])
    const half = 1_800_000
    expect(timeTicks(0, 2 * 3_600_000, 2, half)).toEqual([
      { value: half, label: '01:00' },
      { value: 3 * half, label: '02:00' },
    ])
  })
})
