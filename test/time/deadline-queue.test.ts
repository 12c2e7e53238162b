import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeadlineQueue, notQueued, type DeadlineItem } from '../../src/time/deadline-queue.js'
import { caseCount } from '../support/run/long.js'

const newItems = (count: number): DeadlineItem[] =>
  Array.from({ length: count }, () => ({ deadlineIndex: notQueued }))

/** Many are equal. */
const anyTime = fc.nat(30).map((time) => 60 * time)

const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('add' as const), fc.nat(19), anyTime) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), fc.nat(19), fc.constant(0)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('take' as const), fc.constant(0), anyTime) },
  { weight: 1, arbitrary: fc.constant(['clear' as const, 0, 0] as const) },
)

describe('a queue of deadlines', () => {
  it('returns what a sorted list returns, whatever is added, moved, deleted and taken', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 20, maxLength: 100 }), (steps) => {
        const items = newItems(20)
        const queue = new DeadlineQueue()
        /** The items in the order in which they were added, with their times. */
        const model = new Map<DeadlineItem, number>()
        const sorted = () => [...model].sort(([, one], [, other]) => one - other)
        for (const [name, index, at] of steps) {
          const item = items[index]!
          if (name === 'add') {
            queue.add(item, at)
            model.set(item, Math.min(at, model.get(item) ?? at))
          }
          if (name === 'delete') {
            queue.delete(item)
            model.delete(item)
          }
          if (name === 'take') {
            const taken = sorted().filter(([, time]) => time <= at + 50)
            const numbersOf = (list: readonly DeadlineItem[]) => list.map((each) => items.indexOf(each))
            expect(numbersOf(queue.takeDue(at))).toEqual(numbersOf(taken.map(([each]) => each)))
            for (const [each] of taken) model.delete(each)
          }
          if (name === 'clear') {
            queue.clear()
            model.clear()
          }
          expect(queue.next).toBe(sorted()[0]?.[1] ?? Infinity)
        }
      }),
      { numRuns: caseCount(10_000) },
    )
  })

  it('has no item without a deadline', () => {
    const queue = new DeadlineQueue()
    queue.add(newItems(1)[0]!, Infinity)
    expect([queue.next, queue.takeDue(1e12)]).toEqual([Infinity, []])
  })
})
