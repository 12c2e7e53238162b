import fc from 'fast-check'
import { asapScheduler, asyncScheduler, config, interval, queueScheduler, timer } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dateProvider, isVirtualTime, rxClock } from '../../../src/base/time/clock.js'
import {
  enterContext,
  playInContexts,
  realContext,
  runInContext,
} from '../../../src/backtest/replay/rx-context.js'
import { VirtualTime } from '../../../src/backtest/replay/virtual-time.js'
import { currentDelegates, unusedDelegates } from '../../support/time/unused-delegates.js'

const createVirtualTime = (start: number): VirtualTime => {
  const virtual = new VirtualTime(start)
  onTestFinished(() => virtual.dispose())
  return virtual
}

const runInReal = <A>(work: () => A): A => runInContext(realContext, work)

describe('VirtualTime', () => {
  it('sets the clocks inside run, and not outside', () => {
    const virtual = createVirtualTime(1000)
    const clocks = () => [rxClock.wallClock(), rxClock.elapsed(), asyncScheduler.now(), isVirtualTime()]
    expect(virtual.run(clocks)).toEqual([1000, 1000, 1000, true])
    expect(isVirtualTime()).toBe(false)
    expect(rxClock.wallClock()).toBeGreaterThan(1_700_000_000_000)
  })

  it('restores real time when the work throws', () => {
    const virtual = createVirtualTime(0)
    expect(() =>
      virtual.run(() => {
        throw new Error('mine')
      }),
    ).toThrow('mine')
    expect(isVirtualTime()).toBe(false)
  })

  it('keeps the delegates of others in real time, while rows are played', () => {
    const virtual = createVirtualTime(1000)
    dateProvider.delegate = { now: () => 7 }
    onTestFinished(() => void (dateProvider.delegate = undefined))
    const times = playInContexts(() => [
      virtual.run(() => asyncScheduler.now()),
      asyncScheduler.now(),
      virtual.run(() => runInReal(() => asyncScheduler.now())),
    ])
    expect(times).toEqual([1000, 7, 7])
  })

  it('restores real time after rows that are played inside of a strategy', () => {
    const virtual = createVirtualTime(1000)
    enterContext(virtual)
    playInContexts(() => {
      runInReal(() => undefined)
    })
    expect(asyncScheduler.now()).toBe(1000)
    enterContext(realContext)
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('advances forward only, and fires each due timer at its own time', () => {
    const virtual = createVirtualTime(0)
    const fired: string[] = []
    const log = (text: string) => fired.push(`${virtual.wallClock()} ${text}`)
    virtual.run(() => {
      timer(20).subscribe(() => log('later timer'))
      interval(8).subscribe((n) => log(`interval ${n}`))
      timer(10).subscribe(() => {
        log('timer')
        asyncScheduler.schedule(() => log('timer of 0 ms'))
        asapScheduler.schedule(() => log('immediate'))
      })
    })
    virtual.run(() => virtual.advance(7))
    expect(fired).toEqual([])
    virtual.run(() => virtual.advance(20))
    virtual.run(() => virtual.advance(5))
    expect(fired).toEqual([
      '8 interval 0',
      '10 timer',
      '10 immediate',
      '11 timer of 0 ms',
      '16 interval 1',
      '20 later timer',
    ])
    expect(virtual.wallClock()).toBe(20)
  })

  it('skips time without firing timers, which keep their remaining delays', () => {
    const virtual = createVirtualTime(0)
    const fired: string[] = []
    const log = (text: string) => fired.push(`${virtual.wallClock()} ${text}`)
    virtual.run(() => {
      timer(20).subscribe(() => log('timer'))
      interval(8).subscribe((n) => log(`interval ${n}`))
      virtual.advance(10)
      virtual.skip(1e12)
      expect(asyncScheduler.now()).toBe(1e12 + 10)
      asapScheduler.schedule(() => log('immediate'))
      virtual.advance(1e12 + 20)
    })
    expect(fired).toEqual([
      '8 interval 0',
      `${1e12 + 10} immediate`,
      `${1e12 + 16} interval 1`,
      `${1e12 + 20} timer`,
    ])
  })

  it('fires a timer of NaN ms after 1 ms, and all others', () => {
    const virtual = createVirtualTime(0)
    const fired: string[] = []
    virtual.run(() => {
      timer(5).subscribe(() => fired.push('first'))
      timer(NaN).subscribe(() => fired.push('NaN'))
      timer(7).subscribe(() => fired.push('second'))
      virtual.advance(10)
    })
    expect(fired).toEqual(['NaN', 'first', 'second'])
  })

  it('runs immediates at the next advance, even if the time does not change', () => {
    const virtual = createVirtualTime(5)
    const fired: string[] = []
    virtual.run(() => {
      asapScheduler.schedule(() => fired.push('scheduled'))
      asapScheduler.schedule(() => fired.push('cancelled')).unsubscribe()
      expect(fired).toEqual([])
      virtual.advance(5)
    })
    expect(fired).toEqual(['scheduled'])
  })

  it('clears virtual timers from real time, and does not fire real timers', async () => {
    const virtual = createVirtualTime(0)
    const fired: string[] = []
    const cleared = virtual.run(() => timer(10).subscribe(() => fired.push('cleared')))
    const real = timer(1).subscribe(() => fired.push('real'))
    const never = timer(1).subscribe(() => fired.push('never'))
    cleared.unsubscribe()
    virtual.run(() => never.unsubscribe())
    virtual.run(() => virtual.advance(1000))
    await vi.waitFor(() => expect(real.closed).toBe(true))
    expect(fired).toEqual(['real'])
  })

  it('reports an error for a timer that is cleared after a TestScheduler has reset the delegates', async () => {
    const reported: unknown[] = []
    config.onUnhandledError = (error) => reported.push(error)
    onTestFinished(() => void (config.onUnhandledError = null))
    const virtual = createVirtualTime(0)
    const cleared = virtual.run(() => timer(10).subscribe())
    new TestScheduler(() => undefined).run(() => undefined)
    cleared.unsubscribe()
    virtual.run(() => virtual.advance(1000))
    await vi.waitFor(() => expect(reported).toEqual([new Error('executing a cancelled action')]))
  })

  it('works beside another VirtualTime and a TestScheduler', () => {
    const [first, second] = [createVirtualTime(1), createVirtualTime(2)]
    expect(
      first.run(() => [rxClock.wallClock(), second.run(rxClock.wallClock), rxClock.wallClock()]),
    ).toEqual([1, 2, 1])
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ expectObservable }) => {
      expectObservable(timer(3)).toBe('---(0|)', { 0: 0 })
      expect(first.run(rxClock.wallClock)).toBe(1)
    })
    expect(isVirtualTime()).toBe(false)
  })

  it.each([
    ['asyncScheduler', asyncScheduler],
    ['queueScheduler', queueScheduler],
    ['asapScheduler', asapScheduler],
  ])('has its own queue of %s, also inside an action of another clock', (_, scheduler) => {
    const [first, second] = [createVirtualTime(0), createVirtualTime(0)]
    const fired: string[] = []
    first.run(() =>
      scheduler.schedule(() => {
        fired.push('first')
        second.run(() => scheduler.schedule(() => fired.push('second')))
        second.advance(20)
        fired.push('after second')
        scheduler.schedule(() => fired.push('next of first'))
      }),
    )
    first.advance(20)
    first.advance(40)
    expect(fired).toEqual(['first', 'second', 'after second', 'next of first'])
  })

  it.each([
    ['asyncScheduler', asyncScheduler],
    ['asapScheduler', asapScheduler],
  ])('does not run the pending actions of %s of another clock', (_, scheduler) => {
    const [first, second] = [createVirtualTime(0), createVirtualTime(0)]
    const fired: string[] = []
    first.run(() => scheduler.schedule(() => fired.push('first')))
    second.run(() => scheduler.schedule(() => fired.push('second')))
    second.advance(20)
    expect(fired).toEqual(['second'])
    first.advance(20)
    expect(fired).toEqual(['second', 'first'])
  })

  it('ends with the last timer that is neither cancelled nor too long for every platform', () => {
    const virtual = createVirtualTime(0)
    const fired: number[] = []
    virtual.run(() => {
      interval(10).subscribe((n) => fired.push(n))
      timer(25).subscribe()
      // Half of all timers are pending, so that the queue keeps those that are cancelled.
      for (const ms of [Infinity, 2 ** 31]) timer(ms).subscribe()
      timer(1000).subscribe().unsubscribe()
    })
    virtual.finish()
    expect([fired, virtual.wallClock()]).toEqual([[0, 1], 25])
  })

  it('fires timers by due time, then by order of creation', () => {
    const timers = fc.array(fc.record({ delay: fc.nat(20), cancelled: fc.boolean() }), { maxLength: 50 })
    fc.assert(
      fc.property(timers, fc.array(fc.nat(6)), (timers, steps) => {
        const virtual = createVirtualTime(0)
        const fired: number[] = []
        virtual.run(() => {
          const actions = timers.map(({ delay }, n) => asyncScheduler.schedule(() => fired.push(n), delay))
          timers.forEach(({ cancelled }, n) => {
            if (cancelled) actions[n]!.unsubscribe()
          })
          let to = 0
          for (const step of [...steps, 20]) virtual.advance((to += step))
        })
        const expected = [...timers.entries()]
          .filter(([, { cancelled }]) => !cancelled)
          .sort(([, a], [, b]) => Math.max(1, a.delay) - Math.max(1, b.delay))
        expect(fired).toEqual(expected.map(([n]) => n))
      }),
    )
  })
})
