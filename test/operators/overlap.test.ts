import { expect, it } from 'vitest'
import { Overlap } from '../../src/operators/overlap.js'

it('keeps only the last 4096 to 8191 prices of a long past', () => {
  const overlap = new Overlap()
  const add = (from: number, to: number): void => {
    for (let price = from; price <= to; price++) overlap.add({ price, at: 0 }, undefined)
  }
  const kept = (from: number): readonly boolean[] =>
    [from - 1, from].map((price) => overlap.has({ price, receivedAt: Date.now() }))
  add(1, 8_191)
  expect(kept(1)).toEqual([false, true])
  add(8_192, 8_192)
  expect(kept(4_097)).toEqual([false, true])
})
