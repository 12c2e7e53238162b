import { describe, expect, it } from 'vitest'
import { Intake, MessageBucket, type Step } from '../../../src/gateway/server/intake.js'
import { parseGatewayOptions } from '../../../src/gateway/options.js'
import { nextTurn } from '../../support/time/event-loop.js'

describe('what consumers send', () => {
  it('is handled in turns, for at most 20 ms of each turn of the event loop, however many consumers send', async () => {
    let now = 0
    const intake = new Intake({ elapsed: () => now })
    const handled: number[] = []
    const steps = Array.from({ length: 500 }, (_, consumer): Step => {
      const step = (): void => {
        now += 0.5
        handled.push(consumer)
        if (handled.length < 5_000) intake.add(step)
      }
      return step
    })
    for (const step of steps) intake.add(step)
    let longest = 0
    while (handled.length < 5_000) {
      const before = now
      await nextTurn()
      longest = Math.max(longest, now - before)
    }
    expect(longest).toBeGreaterThan(0)
    expect(longest).toBeLessThanOrEqual(20)
    // The first one sends alone until the end of its turn.
    const turns = handled.slice(20)
    for (let index = 500; index < turns.length; index++) expect(turns[index]).toBe(turns[index - 500])
  })

  it('goes on after a step that throws', async () => {
    const intake = new Intake({ elapsed: () => 0 })
    let count = 0
    intake.add(() => (count += 1))
    expect(() =>
      intake.add(() => {
        throw new Error('a bug')
      }),
    ).toThrow('a bug')
    intake.add(() => (count += 1))
    await nextTurn()
    expect(count).toBe(2)
  })
})

describe('the limit of what one connection sends', () => {
  const setup = parseGatewayOptions({})

  it.each([
    ['messages', setup.maxMessagesPerSecond, 10, 1_000],
    ['new topics', setup.maxNewTopicsPerSecond, 100, 100],
  ])('is a burst of 10 000 %s, and then a rate', (_noun, perSecond, burstSeconds, rate) => {
    let now = 0
    const bucket = new MessageBucket(perSecond, burstSeconds, () => now)
    let taken = 0
    const takeAll = (): void => {
      for (; bucket.waitMs === 0; taken++) bucket.take()
    }
    takeAll()
    // One more than the burst begins the wait.
    expect(taken).toBe(10_001)
    for (let passed = 0; passed < 60; passed++) {
      now += 1_000
      takeAll()
    }
    expect(taken).toBe(10_001 + 60 * rate)
    now += 1e9
    takeAll()
    expect(taken).toBe(2 * 10_001 + 60 * rate)
  })
})
