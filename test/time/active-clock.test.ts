import { timer } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { currentClock } from '../../src/time/active-clock.js'
import { wallClock } from '../../src/time/clock.js'
import { isVirtualTime } from '../../src/time/rx-providers.js'
import { VirtualTime } from '../../src/time/virtual-time.js'

const createVirtualTime = (start: number): VirtualTime => {
  const virtual = new VirtualTime(start)
  onTestFinished(() => virtual.dispose())
  return virtual
}

describe('currentClock', () => {
  it('runs work in real time when it is captured in real time and called in virtual time', () => {
    const runInRealTime = currentClock()
    const virtual = createVirtualTime(0)
    expect(virtual.run(() => [isVirtualTime(), runInRealTime(isVirtualTime), isVirtualTime()])).toEqual([
      true,
      false,
      true,
    ])
  })

  it('runs work in virtual time when it is captured in virtual time and called in real time', () => {
    const virtual = createVirtualTime(5)
    const runInVirtualTime = virtual.run(currentClock)
    expect(runInVirtualTime(wallClock)).toBe(5)
    expect(isVirtualTime()).toBe(false)
  })

  it('restores the clock of the caller when the work throws', () => {
    const runInRealTime = currentClock()
    const virtual = createVirtualTime(5)
    const work = () => {
      throw new Error('work')
    }
    virtual.run(() => {
      expect(() => runInRealTime(work)).toThrow('work')
      expect(wallClock()).toBe(5)
    })
    expect(isVirtualTime()).toBe(false)
  })

  it('adds a timer to the captured clock', () => {
    const virtual = createVirtualTime(0)
    const runInVirtualTime = virtual.run(currentClock)
    let fired = 0
    createVirtualTime(0).run(() => runInVirtualTime(() => timer(10).subscribe(() => fired++)))
    virtual.run(() => virtual.advance(10))
    expect(fired).toBe(1)
  })
})
