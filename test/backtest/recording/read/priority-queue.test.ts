import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PriorityQueue } from '../../../../src/backtest/recording/read/priority-queue.js'

interface Item {
  order: number
}

const ascending = (a: Item, b: Item): number => a.order - b.order

test('has the least of its items first, after any pushes, pops and changes of the first one', () => {
  const orders = fc.integer({ min: 0, max: 20 })
  const operations = fc.array(fc.record({ kind: fc.constantFrom('pop', 'push', 'change'), order: orders }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(fc.array(orders), operations, (initial, calls) => {
      const queue = new PriorityQueue(
        ascending,
        initial.map((order) => ({ order })),
      )
      const model = [...initial].sort((a, b) => a - b)
      for (const { kind, order } of calls) {
        const first = queue.peek()
        if (kind === 'pop') expect(queue.pop()?.order).toBe(model.shift())
        else if (kind === 'push') {
          queue.push({ order })
          model.push(order)
        } else if (first !== undefined) {
          first.order = order
          queue.sinkFirst()
          model[0] = order
        }
        model.sort((a, b) => a - b)
        expect(queue.peek()?.order).toBe(model[0])
        expect(queue.items).toHaveLength(model.length)
      }
    }),
  )
})
