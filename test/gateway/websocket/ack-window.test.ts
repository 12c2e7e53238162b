import { describe, expect, it } from 'vitest'
import { AckWindow } from '../../../src/gateway/websocket/ack-window.js'

const second = 1_000

/** A window whose first ping was answered after this round trip, in ms. */
const measured = (roundTrip = 50): AckWindow => {
  const window = new AckWindow()
  window.onAck(window.mark(0), roundTrip)
  return window
}

/** Writes bytes and a marker behind them, which is answered after this time, in ms. Returns the time of the answer. */
const roundTripOf = (window: AckWindow, bytes: number, now: number, ms: number): number => {
  window.onWritten(bytes)
  window.onAck(window.mark(now), now + ms)
  return now + ms
}

/** A window with the smallest limit: one answer was late by far. */
const limited = (): AckWindow => {
  const window = measured()
  roundTripOf(window, 1_000, second, 60 * second)
  return window
}

describe('an acknowledgement window', () => {
  it('has no limit while answers come within a usual round trip and 300 ms', () => {
    const window = measured(50)
    let now = second
    for (let count = 0; count < 10; count++) now = roundTripOf(window, 1_000_000, now, 350)
    expect(window.isLimited).toBe(false)
    expect(window.hasRoom(100_000_000)).toBe(true)
    expect(window.unacknowledged).toBe(0)
  })

  it('is late once its oldest marker is older than that, and not before', () => {
    const window = measured(50)
    window.onWritten(1)
    window.mark(second)
    window.onWritten(1)
    window.mark(second + 200)
    expect([window.isLate(second + 350), window.isLate(second + 351)]).toEqual([false, true])
    window.onAck(2, second + 350)
    expect([window.isLate(second + 550), window.isLate(second + 551)]).toEqual([false, true])
  })

  it('is never late for a consumer that has never answered', () => {
    const window = new AckWindow()
    window.mark(0)
    window.onWritten(1_000_000)
    window.mark(1)
    expect(window.isLate(100 * second)).toBe(false)
    expect(window.hasRoom(1_000_000)).toBe(true)
  })

  it('limits what is on its way, after a late answer, to what would have come in time', () => {
    const window = measured(0)
    roundTripOf(window, 20_000, second, 2 * second)
    expect(window.isLimited).toBe(true)
    window.onWritten(2_000)
    expect([window.hasRoom(1_000), window.hasRoom(1_001)]).toEqual([true, false])
    expect([window.hasRoom(500, 500), window.hasRoom(501, 500)]).toEqual([true, false])
  })

  it('at least halves the limit for each late answer, once per round trip', () => {
    const window = measured(0)
    roundTripOf(window, 20_000, second, 2 * second)
    window.onWritten(1_000)
    const first = window.mark(4 * second)
    window.onWritten(1_000)
    const next = window.mark(4 * second)
    window.onAck(first, 4 * second + 301)
    window.onAck(next, 4 * second + 302)
    window.onWritten(1)
    // Of 3000 bytes, 996 would have been in time.
    expect([window.hasRoom(995), window.hasRoom(996)]).toEqual([true, false])
  })

  it('never limits a consumer to nothing: one frame has room whatever its size', () => {
    const window = limited()
    expect(window.hasRoom(1_000_000)).toBe(true)
    window.onWritten(1)
    expect([window.hasRoom(511), window.hasRoom(512)]).toEqual([true, false])
  })

  it('doubles the limit with each answer in time, once per round trip, and removes it at 1 MiB', () => {
    const window = limited()
    let now = 100 * second
    window.onWritten(1)
    const first = window.mark(now)
    window.onWritten(1)
    const next = window.mark(now)
    window.onAck(first, now + 1)
    window.onAck(next, now + 1)
    window.onWritten(1)
    expect([window.hasRoom(1_023), window.hasRoom(1_024)]).toEqual([true, false])
    let answers = 0
    for (; window.isLimited; answers++) now = roundTripOf(window, 1, now, 1)
    expect(answers).toBe(10)
  })

  it('doubles the limit without data too, with a marker each 100 ms, but does not reduce it', () => {
    const window = limited()
    let now = 100 * second
    let answers = 0
    for (; window.isLimited && window.isMarkerDue(now); answers++) {
      const id = window.mark(now)
      expect(window.isMarkerDue(now + 99)).toBe(false)
      now += 100
      window.onAck(id, now)
    }
    expect(answers).toBe(11)
    expect(window.isMarkerDue(now + second)).toBe(false)
    window.onAck(window.mark(now), now + 60 * second)
    expect(window.isLimited).toBe(false)
    const next = limited()
    const id = next.mark(100 * second)
    next.onWritten(511)
    next.onAck(id, 100 * second)
    expect([next.hasRoom(1), next.hasRoom(2)]).toEqual([true, false])
  })

  it('reduces the limit for data that was written before the limit grew', () => {
    const window = limited()
    window.onWritten(400)
    const first = window.mark(100 * second)
    window.onWritten(100)
    const next = window.mark(100 * second)
    window.onAck(first, 100 * second + 1)
    window.onAck(next, 110 * second)
    window.onWritten(1)
    expect(window.hasRoom(512)).toBe(false)
  })

  it('accepts an answer for all earlier markers, and ignores one that it does not wait for', () => {
    const window = measured()
    for (let count = 0; count < 3; count++) {
      window.onWritten(10)
      window.mark(second)
    }
    for (const id of [0, 1, 5, NaN, Infinity]) window.onAck(id, second)
    expect(window.unacknowledged).toBe(30)
    window.onAck(3, second)
    expect(window.unacknowledged).toBe(10)
    window.onAck(2, second)
    expect(window.unacknowledged).toBe(10)
  })

  it('is drained when the last marker of a hold is answered', () => {
    const window = measured()
    window.onWritten(10)
    const first = window.mark(second)
    window.isHolding = true
    window.onWritten(10)
    const last = window.mark(second)
    window.onAck(first, second)
    expect(window.isDrained).toBe(false)
    window.onAck(last, second)
    expect([window.isDrained, window.isLimited]).toEqual([true, true])
    window.isHolding = false
    expect([window.isDrained, window.isLimited]).toEqual([false, false])
  })

  it('accepts a round trip that has grown, up to 500 ms, but not one behind data', () => {
    const window = measured(50)
    const isLateAfter = (ms: number): boolean => {
      window.onWritten(1)
      const id = window.mark(0)
      const isLate = window.isLate(ms)
      window.onAck(id, 0)
      return isLate
    }
    for (let count = 0; count < 10; count++) roundTripOf(window, 10, 0, 340)
    expect(isLateAfter(351)).toBe(true)
    const fresh = measured(50)
    for (let count = 0; count < 4; count++) fresh.onAck(fresh.mark(0), 400)
    fresh.onWritten(1)
    const id = fresh.mark(0)
    expect([fresh.isLate(700), fresh.isLate(701)]).toEqual([false, true])
    fresh.onAck(id, 700)
    for (let count = 0; count < 4; count++) fresh.onAck(fresh.mark(0), 9_000)
    fresh.onWritten(1)
    fresh.mark(0)
    expect([fresh.isLate(800), fresh.isLate(801)]).toEqual([false, true])
  })

  it('judges by the longest of the last four round trips without data, up to 300 ms', () => {
    const window = measured(50)
    const isLateAfter = (ms: number): boolean => {
      window.onWritten(1)
      const id = window.mark(0)
      const isLate = window.isLate(ms)
      window.onAck(id, ms)
      return isLate
    }
    const answerAfter = (ms: number): void => window.onAck(window.mark(0), ms)
    answerAfter(250)
    expect([isLateAfter(550), isLateAfter(551)]).toEqual([false, true])
    for (let count = 0; count < 3; count++) answerAfter(100)
    expect(isLateAfter(550)).toBe(false)
    answerAfter(100)
    expect([isLateAfter(400), isLateAfter(401)]).toEqual([false, true])
    answerAfter(9_000)
    expect([isLateAfter(600), isLateAfter(601)]).toEqual([false, true])
  })

  it('learns a shorter round trip from any answer', () => {
    const window = measured(500)
    roundTripOf(window, 10, second, 100)
    window.onWritten(1)
    window.mark(2 * second)
    expect([window.isLate(2 * second + 400), window.isLate(2 * second + 401)]).toEqual([false, true])
  })

  it('judges by 200 ms until a round trip is known that no upload has delayed', () => {
    const window = new AckWindow()
    window.onAck(window.mark(0), 2_000, false)
    window.onWritten(1)
    const id = window.mark(second)
    expect([window.isLate(second + 200), window.isLate(second + 201)]).toEqual([false, true])
    window.onAck(id, second + 200)
    window.onWritten(1)
    window.mark(2 * second)
    expect([window.isLate(2 * second + 200), window.isLate(2 * second + 201)]).toEqual([false, true])
    window.onAck(3, 2 * second + 199)
    window.onWritten(1)
    window.mark(3 * second)
    expect([window.isLate(3 * second + 499), window.isLate(3 * second + 500)]).toEqual([false, true])
  })
})

describe('a probe', () => {
  /** A window whose probe has begun: 6145 bytes are on their way. */
  const probing = (): AckWindow => {
    const window = measured(0)
    window.onWritten(6_144)
    window.probe(0)
    expect(window.isLimited).toBe(false)
    window.probe(1)
    return window
  }

  it('begins with more than 6144 bytes, and gives no more room than for them; the consumer is not behind', () => {
    const window = probing()
    expect([window.hasRoom(1), window.isLimited, window.isBehind]).toEqual([false, true, false])
    window.isHolding = true
    expect(window.isBehind).toBe(false)
  })

  it('ends with the answer to a marker behind it, and the next one has twice the room', () => {
    const window = measured(0)
    window.onWritten(6_144)
    const before = window.mark(second)
    window.probe(1)
    const id = window.mark(second)
    window.onAck(before, second)
    expect(window.hasRoom(6_145)).toBe(true)
    expect(window.isLimited).toBe(true)
    window.onAck(id, second + 300)
    expect(window.isLimited).toBe(false)
    window.probe(12_288)
    expect(window.isLimited).toBe(false)
    window.probe(12_289)
    window.onWritten(1)
    expect([window.hasRoom(12_287), window.hasRoom(12_288)]).toEqual([true, false])
  })

  it('shows a slow link by a late answer, or by none in time', () => {
    const answered = probing()
    const id = answered.mark(second)
    answered.onAck(id, 3 * second)
    expect([answered.isLimited, answered.isBehind]).toEqual([true, true])
    const late = probing()
    late.isHolding = true
    late.failProbe()
    expect(late.isBehind).toBe(true)
    late.isHolding = false
    expect(late.isLimited).toBe(false)
  })
})

describe('a marker is due', () => {
  it('soon behind much data, later behind a little, and after 15 s behind none', () => {
    const window = measured()
    window.onAck(window.mark(0), 1)
    expect([window.isMarkerDue(14_999), window.isMarkerDue(15_000)]).toEqual([false, true])
    window.onWritten(1_023)
    expect([window.isMarkerDue(999), window.isMarkerDue(1_000)]).toEqual([false, true])
    window.onWritten(1)
    expect([window.isMarkerDue(99), window.isMarkerDue(100)]).toEqual([false, true])
  })

  it('up to 16 times without an answer, and during a hold only behind the last one', () => {
    const window = measured()
    let marked = 0
    for (; marked < 100; marked++) {
      window.onWritten(1)
      if (!window.isMarkerDue((marked + 1) * second)) break
      window.mark((marked + 1) * second)
    }
    expect(marked).toBe(16)
    window.isHolding = true
    window.onAck(16, 100 * second)
    expect(window.isMarkerDue(200 * second)).toBe(false)
    window.onAck(17, 100 * second)
    expect(window.isMarkerDue(200 * second)).toBe(true)
  })
})
