import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PriorityQueue } from '../../../../src/backtest/recording/read/priority-queue.js'

const ascending = (a: number, b: number): number => a - b

test('has the least of its items first, after any pushes and pops', () => {
  const numbers = fc.integer({ min: 0, max: 20 })
  const operations = fc.array(fc.array(numbers, { maxLength: 1 }), { maxLength: 60 })
  fc.assert(
    fc.property(fc.array(numbers), operations, (initial, calls) => {
      const queue = new PriorityQueue(ascending, [...initial])
      const model = [...initial].sort(ascending)
      for (const [pushed] of calls) {
        if (pushed === undefined) expect(queue.pop()).toBe(model.shift())
        else {
          queue.push(pushed)
          model.push(pushed)
          model.sort(ascending)
        }
        expect(queue.peek()).toBe(model[0])
        expect(queue.items).toHaveLength(model.length)
      }
    }),
  )
})
