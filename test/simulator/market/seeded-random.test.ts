import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/simulator/market/seeded-random.js'

const draw = (seed: string, count: number) => Array.from({ length: count }, seededRandom(seed))

test('the same seed draws the same numbers, another seed others', () => {
  expect(draw('1:0xab', 50)).toEqual(draw('1:0xab', 50))
  expect(draw('1:0xab', 50)).not.toEqual(draw('2:0xab', 50))
})

test('the numbers are spread evenly from 0 up to 1', () => {
  const tenths = new Array<number>(10).fill(0)
  for (const value of draw('even', 100_000)) tenths[Math.floor(value * 10)]! += 1
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500)
})

test('mulberry32 as it is known: FNV-1a of the seed, then its first three numbers', () => {
  // Computed with the published reference code: state 0x811c9dc5 is FNV-1a's of the empty text.
  expect(draw('', 3)).toEqual([0.6112444521859288, 0.4935242917854339, 0.7740248835179955])
})
