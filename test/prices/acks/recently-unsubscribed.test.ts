import { describe, expect, it } from 'vitest'
import { RecentlyUnsubscribed } from '../../../src/prices/acks/recently-unsubscribed.js'

const grace = 100

const createRecentlyUnsubscribed = (
  ...calls: readonly Parameters<RecentlyUnsubscribed['add']>[]
): RecentlyUnsubscribed => {
  const recentlyUnsubscribed = new RecentlyUnsubscribed(grace)
  for (const call of calls) recentlyUnsubscribed.add(...call)
  return recentlyUnsubscribed
}

describe('RecentlyUnsubscribed.has', () => {
  it('is true until the grace period ends', () => {
    const recentlyUnsubscribed = createRecentlyUnsubscribed(['0xaa', 50, 0])
    expect([50, 149, 150].map((now) => recentlyUnsubscribed.has('0xaa', now))).toEqual([true, true, false])
  })

  it('is false for a topic that was not unsubscribed', () => {
    expect(createRecentlyUnsubscribed(['0xaa', 0, 0]).has('0xbb', 0)).toBe(false)
  })

  it('restarts the grace period when the topic is unsubscribed again', () => {
    const recentlyUnsubscribed = createRecentlyUnsubscribed(['0xaa', 0, 0], ['0xbb', 10, 0], ['0xaa', 90, 0])
    expect(recentlyUnsubscribed.has('0xaa', 150)).toBe(true)
    expect(recentlyUnsubscribed.has('0xbb', 109)).toBe(true)
    expect(recentlyUnsubscribed.has('0xbb', 110)).toBe(false)
  })

  it('is false after `clear`, and no topic is pending', () => {
    const recentlyUnsubscribed = createRecentlyUnsubscribed(['0xaa', 0, 50])
    recentlyUnsubscribed.clear()
    expect(recentlyUnsubscribed.has('0xaa', 1)).toBe(false)
    expect([...recentlyUnsubscribed.pending(1)]).toEqual([])
  })
})

describe('RecentlyUnsubscribed.pending', () => {
  it('lists the unanswered topics, each until its `pendingUntil`', () => {
    const recentlyUnsubscribed = createRecentlyUnsubscribed(['0xaa', 0, 40], ['0xbb', 0, 60], ['0xcc', 0, 0])
    expect([...recentlyUnsubscribed.pending(39)]).toEqual(['0xaa', '0xbb'])
    expect([...recentlyUnsubscribed.pending(40)]).toEqual(['0xbb'])
    expect([...recentlyUnsubscribed.pending(60)]).toEqual([])
  })

  it('does not list a topic after its answer; late prices remain accepted', () => {
    const recentlyUnsubscribed = createRecentlyUnsubscribed(['0xaa', 0, 40])
    recentlyUnsubscribed.onAck('0xaa')
    recentlyUnsubscribed.onAck('0xbb')
    expect([...recentlyUnsubscribed.pending(1)]).toEqual([])
    expect(recentlyUnsubscribed.has('0xaa', 1)).toBe(true)
  })

  it('still lists topics within their grace period after `add` removes older topics', () => {
    const recentlyUnsubscribed = createRecentlyUnsubscribed(
      ['0xaa', 0, 90],
      ['0xbb', 20, 110],
      ['0xcc', 105, 200],
    )
    expect(recentlyUnsubscribed.has('0xaa', 105)).toBe(false)
    expect([...recentlyUnsubscribed.pending(105)]).toEqual(['0xbb', '0xcc'])
  })
})
