import { Subscription } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it } from 'vitest'
import { realPace, virtualPace, waitFor } from '../../../src/recording/replay/pace.js'

/** Runs something in virtual time, moment by moment. */
const atTimes = (work: (at: (ms: number, what: () => void) => void) => void): void => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => work((ms, what) => scheduler.schedule(what, ms)))
}

describe('the recorded pace', () => {
  it('waits as long as it was, divided by the speed, whatever time it takes in between', () => {
    const waits: number[] = []
    atTimes((at) => {
      const pace = realPace(10)
      at(0, () => waits.push(pace.wait(5000), pace.wait(6000)))
      at(40, () => waits.push(pace.wait(6000)))
      at(300, () => waits.push(pace.wait(6000), pace.wait(9000)))
    })
    expect(waits).toEqual([0, 100, 60, -200, 100])
  })

  it('goes on where it stood still', () => {
    const waits: number[] = []
    atTimes((at) => {
      const pace = realPace(1)
      at(0, () => waits.push(pace.wait(5000)))
      at(4, () => pace.pause())
      at(700, () => {
        pace.resume()
        waits.push(pace.wait(5010), pace.wait(5020))
      })
    })
    expect(waits).toEqual([0, 6, 16])
  })

  it('begins anew where the recorded clock was set back', () => {
    const waits: number[] = []
    atTimes((at) => {
      const pace = realPace(1)
      at(0, () => waits.push(pace.wait(5000), pace.wait(9000)))
      at(10, () => waits.push(pace.wait(5200), pace.wait(5300)))
    })
    expect(waits).toEqual([0, 4000, 0, 100])
  })
})

describe('the virtual pace', () => {
  it('waits for nothing, and is at the time of what is done', () => {
    const pace = virtualPace()
    expect(pace.wait(5)).toBe(0)
    expect(pace.within(() => 'before its first moment')).toBe('before its first moment')
    const seen: number[] = []
    pace.at(5, () => seen.push(5))
    pace.at(9, () => seen.push(9))
    expect(seen).toEqual([5, 9])
  })
})

describe('a wait', () => {
  it('can be cut short, also before it begins', async () => {
    const interrupted = new Subscription()
    const waiting = waitFor(2 ** 40, interrupted)
    interrupted.unsubscribe()
    await waiting
    await waitFor(2 ** 40, interrupted)
  })
})
