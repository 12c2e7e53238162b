import { describe, expect, it } from 'vitest'
import { RecentlyUnsubscribed } from '../../src/prices/recently-unsubscribed.js'

const grace = 100

const departed = (
  ...departures: readonly Parameters<RecentlyUnsubscribed['add']>[]
): RecentlyUnsubscribed => {
  const all = new RecentlyUnsubscribed(grace)
  for (const departure of departures) all.add(...departure)
  return all
}

describe('frames that may be late', () => {
  it('are expected for as long as the grace lasts, and not at its end', () => {
    const one = departed(['0xaa', 50, 0])
    expect([50, 149, 150].map((now) => one.has('0xaa', now))).toEqual([true, true, false])
  })

  it('are expected for what was left, and for nothing else', () => {
    expect(departed(['0xaa', 0, 0]).has('0xbb', 0)).toBe(false)
  })

  it('are expected anew of a topic that was left again', () => {
    const twice = departed(['0xaa', 0, 0], ['0xbb', 10, 0], ['0xaa', 90, 0])
    expect(twice.has('0xaa', 150)).toBe(true)
    expect(twice.has('0xbb', 109)).toBe(true)
    expect(twice.has('0xbb', 110)).toBe(false)
  })

  it('are not expected on another connection', () => {
    const gone = departed(['0xaa', 0, 50])
    gone.clear()
    expect(gone.has('0xaa', 1)).toBe(false)
    expect(gone.pending(1)).toEqual([])
  })
})

describe('subscribes that may still be answered', () => {
  it('are those of topics left unanswered, until their time is over', () => {
    const two = departed(['0xaa', 0, 40], ['0xbb', 0, 60], ['0xcc', 0, 0])
    expect(two.pending(39)).toEqual(['0xaa', '0xbb'])
    expect(two.pending(40)).toEqual(['0xbb'])
    expect(two.pending(60)).toEqual([])
  })

  it('are no more once they were answered, though late prices may still come', () => {
    const one = departed(['0xaa', 0, 40])
    one.onAck('0xaa')
    one.onAck('0xbb')
    expect(one.pending(1)).toEqual([])
    expect(one.has('0xaa', 1)).toBe(true)
  })

  it('are still known when others leave after them, and even when the grace is over for those before', () => {
    const some = departed(['0xaa', 0, 90], ['0xbb', 20, 110], ['0xcc', 105, 200])
    expect(some.has('0xaa', 105)).toBe(false)
    expect(some.pending(105)).toEqual(['0xbb', '0xcc'])
  })
})
