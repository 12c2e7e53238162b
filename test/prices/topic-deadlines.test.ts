import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../src/domain/address.js'
import { TopicDeadlines } from '../../src/prices/topic-deadlines.js'
import { createTopicState, type TopicState } from '../../src/prices/topics.js'
import { caseCount } from '../support/run/long.js'

const newTopics = (count: number): TopicState[] =>
  Array.from({ length: count }, (_, number) => {
    const base = `0x${number}` as Address
    return createTopicState(base, `svc-${base}`)
  })

/** Many are equal. */
const anyTime = fc.nat(30).map((time) => 60 * time)

const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('add' as const), fc.nat(19), anyTime) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), fc.nat(19), fc.constant(0)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('take' as const), fc.constant(0), anyTime) },
  { weight: 1, arbitrary: fc.constant(['clear' as const, 0, 0] as const) },
)

describe('the deadlines of topics', () => {
  it('are those of a sorted list, whatever is added, moved, deleted and taken', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 20, maxLength: 100 }), (steps) => {
        const topics = newTopics(20)
        const deadlines = new TopicDeadlines()
        /** The topics in the order in which they were added, with their times. */
        const model = new Map<TopicState, number>()
        const sorted = () => [...model].sort(([, one], [, other]) => one - other)
        for (const [name, index, at] of steps) {
          const state = topics[index]!
          if (name === 'add') {
            deadlines.add(state, at)
            model.set(state, Math.min(at, model.get(state) ?? at))
          }
          if (name === 'delete') {
            deadlines.delete(state)
            model.delete(state)
          }
          if (name === 'take') {
            const taken = sorted().filter(([, time]) => time <= at + 50)
            expect(deadlines.takeDue(at)).toEqual(taken.map(([each]) => each))
            for (const [each] of taken) model.delete(each)
          }
          if (name === 'clear') {
            deadlines.clear()
            model.clear()
          }
          expect(deadlines.next).toBe(sorted()[0]?.[1] ?? Infinity)
        }
      }),
      { numRuns: caseCount(10_000) },
    )
  })

  it('are not queued for a topic without one', () => {
    const deadlines = new TopicDeadlines()
    deadlines.add(newTopics(1)[0]!, Infinity)
    expect([deadlines.next, deadlines.takeDue(1e12)]).toEqual([Infinity, []])
  })
})
