import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeadlineQueue, notQueued, type DeadlineItem } from '../../../src/base/time/deadline-queue.js'
import { caseCount } from '../../support/run/long.js'

const newItems = (count: number): DeadlineItem[] =>
  Array.from({ length: count }, () => ({ queuedFor: notQueued }))

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
        /** The queued items, with their times, and those that were added to a slot after it was taken. */
        const model = new Map<DeadlineItem, number>()
        const late = new Set<DeadlineItem>()
        let taken = -Infinity
        for (const [name, index, at] of steps) {
          const item = items[index]!
          if (name === 'add') {
            queue.add(item, at)
            if (at < (model.get(item) ?? Infinity)) {
              model.set(item, at)
              if (slotOf(at) <= taken) late.add(item)
              else late.delete(item)
            }
          }
          if (name === 'delete') {
            queue.delete(item)
            model.delete(item)
            late.delete(item)
          }
          if (name === 'take') {
            const isDue = ([each, time]: [DeadlineItem, number]) =>
              late.has(each) ? time <= at : slotOf(time) <= slotOf(at)
            const due = [...model].filter(isDue).map(([each]) => each)
            const numbersOf = (list: readonly DeadlineItem[]) =>
              list.map((each) => items.indexOf(each)).sort((one, other) => one - other)
            expect(numbersOf(queue.takeDue(at))).toEqual(numbersOf(due))
            taken = slotOf(at)
            for (const each of due) {
              model.delete(each)
              late.delete(each)
            }
            // Later, so that a timer does not return to it at once.
            expect(queue.next()).toBeGreaterThan(at)
          }
          if (name === 'clear') {
            queue.clear()
            model.clear()
            late.clear()
            taken = -Infinity
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

  it('returns an item at most twice, however many items have their deadlines at different times of one slot', () => {
    const queue = createDeadlineQueue<DeadlineItem & { readonly time: number }>()
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      queuedFor: notQueued,
      time: 1_000 + index / 20,
    }))
    for (const item of items) queue.add(item, item.time)
    let returned = 0
    for (let now = queue.next(); now < Infinity; now = queue.next()) {
      const due = queue.takeDue(now)
      returned += due.length
      for (const item of due) if (item.time > now) queue.add(item, item.time)
    }
    expect(returned).toBeLessThanOrEqual(2 * items.length)
  })

  it('has no item without a deadline', () => {
    const queue = createDeadlineQueue()
    queue.add(newItems(1)[0]!, Infinity)
    expect([queue.next(), queue.takeDue(1e12)]).toEqual([Infinity, []])
  })
})
