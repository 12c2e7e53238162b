import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeadlineQueue, type DeadlineItem } from '../../src/time/deadline-queue.js'
import { caseCount } from '../support/run/long.js'

const newItems = (count: number): DeadlineItem[] =>
  Array.from({ length: count }, () => ({ queuedFor: Infinity }))

/** Many are equal. */
const anyTime = fc.nat(60).map((time) => 30 * time)

const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('add' as const), fc.nat(19), anyTime) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), fc.nat(19), fc.constant(0)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('take' as const), fc.constant(0), anyTime) },
  { weight: 1, arbitrary: fc.constant(['clear' as const, 0, 0] as const) },
)

const slotOf = (time: number): number => Math.floor(time / 50)

describe('a queue of deadlines', () => {
  it('returns what a sorted list returns, whatever is added, moved, deleted and taken', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 20, maxLength: 100 }), (steps) => {
        const items = newItems(20)
        const queue = createDeadlineQueue()
        /** The queued items, with their times. */
        const model = new Map<DeadlineItem, number>()
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
            const due = [...model].filter(([, time]) => slotOf(time) <= slotOf(at)).map(([each]) => each)
            const numbersOf = (list: readonly DeadlineItem[]) =>
              list.map((each) => items.indexOf(each)).sort((one, other) => one - other)
            expect(numbersOf(queue.takeDue(at))).toEqual(numbersOf(due))
            for (const each of due) model.delete(each)
            // Later, so that a timer does not return to it at once.
            expect(slotOf(queue.next())).toBeGreaterThan(slotOf(at))
          }
          if (name === 'clear') {
            queue.takeDue(Infinity)
            model.clear()
            expect(queue.next()).toBe(Infinity)
          }
          expect(queue.next()).toBeLessThanOrEqual(Math.min(...model.values()))
        }
      }),
      { numRuns: caseCount(10_000) },
    )
  })

  it('has the exact time of an item that is queued again', () => {
    const queue = createDeadlineQueue()
    const [item] = newItems(1)
    queue.add(item!, 1049)
    expect([queue.takeDue(1001), queue.next()]).toEqual([[item], Infinity])
    queue.add(item!, 1049)
    expect(queue.next()).toBe(1049)
  })

  it('has no item without a deadline', () => {
    const queue = createDeadlineQueue()
    queue.add(newItems(1)[0]!, Infinity)
    expect([queue.next(), queue.takeDue(1e12)]).toEqual([Infinity, []])
  })
})
