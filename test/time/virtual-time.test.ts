import fc from 'fast-check'
import { asapScheduler, asyncScheduler, config, interval, timer } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { elapsed, wallClock } from '../../src/time/clock.js'
import { isVirtualTime } from '../../src/time/rx-providers.js'
import { VirtualTime } from '../../src/time/virtual-time.js'

describe('virtual time', () => {
  it('is shown by the clocks inside, and nowhere else', () => {
    const virtual = new VirtualTime(1000)
    const clocks = () => [wallClock(), elapsed(), asyncScheduler.now(), isVirtualTime()]
    expect(virtual.run(clocks)).toEqual([1000, 1000, 1000, true])
    expect(isVirtualTime()).toBe(false)
    expect(wallClock()).toBeGreaterThan(1_700_000_000_000)
  })

  it('is left when something throws inside', () => {
    const virtual = new VirtualTime(0)
    expect(() =>
      virtual.run(() => {
        throw new Error('mine')
      }),
    ).toThrow('mine')
    expect(isVirtualTime()).toBe(false)
  })

  it('moves when it is told to, never back, and stops on the way at what is due', () => {
    const virtual = new VirtualTime(0)
    const seen: string[] = []
    const see = (what: string) => seen.push(`${virtual.now()} ${what}`)
    virtual.run(() => {
      timer(20).subscribe(() => see('later'))
      interval(8).subscribe((n) => see(`tick ${n}`))
      timer(10).subscribe(() => {
        see('timer')
        asyncScheduler.schedule(() => see('at once'))
        asapScheduler.schedule(() => see('before that'))
      })
    })
    virtual.run(() => virtual.advance(7))
    expect(seen).toEqual([])
    virtual.run(() => virtual.advance(20))
    virtual.run(() => virtual.advance(5))
    expect(seen).toEqual(['8 tick 0', '10 timer', '10 before that', '10 at once', '16 tick 1', '20 later'])
    expect(virtual.now()).toBe(20)
  })

  it('does what is asked for immediately at the next move, without going on', () => {
    const virtual = new VirtualTime(5)
    const seen: string[] = []
    virtual.run(() => {
      asapScheduler.schedule(() => seen.push('done'))
      asapScheduler.schedule(() => seen.push('not done')).unsubscribe()
      expect(seen).toEqual([])
      virtual.advance(5)
    })
    expect(seen).toEqual(['done'])
  })

  it('has timers that can be cleared from the real time, and leaves those of the real time alone', async () => {
    const virtual = new VirtualTime(0)
    const seen: string[] = []
    const cleared = virtual.run(() => timer(10).subscribe(() => seen.push('cleared')))
    const real = timer(1).subscribe(() => seen.push('real'))
    const never = timer(1).subscribe(() => seen.push('never'))
    cleared.unsubscribe()
    virtual.run(() => never.unsubscribe())
    virtual.run(() => virtual.advance(1000))
    await vi.waitFor(() => expect(real.closed).toBe(true))
    expect(seen).toEqual(['real'])
  })

  it('reports a timer once that was cleared where a TestScheduler had put its own time away', async () => {
    const reported: unknown[] = []
    config.onUnhandledError = (error) => reported.push(error)
    onTestFinished(() => void (config.onUnhandledError = null))
    const virtual = new VirtualTime(0)
    const cleared = virtual.run(() => timer(10).subscribe())
    new TestScheduler(() => undefined).run(() => undefined)
    cleared.unsubscribe()
    virtual.run(() => virtual.advance(1000))
    await vi.waitFor(() => expect(reported).toEqual([new Error('executing a cancelled action')]))
  })

  it('lives beside another, and beside that of a TestScheduler', () => {
    const [one, other] = [new VirtualTime(1), new VirtualTime(2)]
    expect(one.run(() => [wallClock(), other.run(wallClock), wallClock()])).toEqual([1, 2, 1])
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ expectObservable }) => {
      expectObservable(timer(3)).toBe('---(0|)', { 0: 0 })
      expect(one.run(wallClock)).toBe(1)
    })
    expect(isVirtualTime()).toBe(false)
  })

  it('calls what is due in order of time, and at once in the order of asking: as a sorted list would', () => {
    const timers = fc.array(fc.record({ delay: fc.nat(20), cancelled: fc.boolean() }), { maxLength: 50 })
    fc.assert(
      fc.property(timers, fc.array(fc.nat(6)), (timers, steps) => {
        const virtual = new VirtualTime(0)
        const called: number[] = []
        virtual.run(() => {
          const set = timers.map(({ delay }, n) => asyncScheduler.schedule(() => called.push(n), delay))
          timers.forEach(({ cancelled }, n) => {
            if (cancelled) set[n]!.unsubscribe()
          })
          let to = 0
          for (const step of [...steps, 20]) virtual.advance((to += step))
        })
        const expected = [...timers.entries()]
          .filter(([, { cancelled }]) => !cancelled)
          .sort(([, a], [, b]) => a.delay - b.delay)
        expect(called).toEqual(expected.map(([n]) => n))
      }),
    )
  })
})
