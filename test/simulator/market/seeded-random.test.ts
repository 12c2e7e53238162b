import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/simulator/market/seeded-random.js'

const draw = (seed: string, count: number) => Array.from({ length: count }, seededRandom(seed))

test('seededRandom returns the same numbers for the same seed, and others for another seed', () => {
  expect(draw('1:0xab', 50)).toEqual(draw('1:0xab', 50))
  expect(draw('1:0xab', 50)).not.toEqual(draw('2:0xab', 50))
})

test('seededRandom returns numbers evenly distributed from 0 to 1', () => {
  const tenths = new Array<number>(10).fill(0)
  for (const value of draw('even', 100_000)) tenths[Math.floor(value * 10)]! += 1
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500)
})

test('seededRandom matches the published Mulberry32, seeded with FNV-1a', () => {
  // Computed with the published reference code. 0x811c9dc5 is the FNV-1a hash of the empty text.
  expect(draw('', 3)).toEqual([0.6112444521859288, 0.4935242917854339, 0.7740248835179955])
})
