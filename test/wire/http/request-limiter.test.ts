import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestLimiter } from '../../../src/wire/http/request-limiter.js'
import { completedTask, noCancel, type Cancel } from '../../../src/base/task/cancellable-task.js'
import { rxClock } from '../../../src/base/time/clock.js'
import { windowMs } from '../../../src/base/time/timers.js'
import { caseCount } from '../../support/run/long.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'

const limiterOf = (maxRequestsPerSecond: number, maxConcurrentRequests: number): RequestLimiter =>
  new RequestLimiter({ clock: rxClock, maxRequestsPerSecond, maxConcurrentRequests })

/** Sends one request. `onSent`: called when it is on its way. */
type LimitedTask<A> = (onResult: (result: A) => void, onSent: () => void) => Cancel

/** Runs a task when the limiter allows it, as `get` does. */
const run = <A>(
  limiter: RequestLimiter,
  task: LimitedTask<A>,
  onResult: (result: A) => void,
  onTurn = noCancel,
): Cancel => {
  let isCancelled = false
  let abort = noCancel
  const leaveQueue = limiter.acquire(() => {
    onTurn()
    if (isCancelled) return
    const running = limiter.start()
    const cancel = task(
      (result) => {
        running.onEnd()
        if (!isCancelled) onResult(result)
      },
      () => running.onSent(),
    )
    abort = () => {
      cancel()
      running.onEnd()
    }
    // The task may have cancelled itself. The cast undoes the narrowing by the check above.
    if (isCancelled as boolean) abort()
  })
  return () => {
    isCancelled = true
    leaveQueue()
    abort()
  }
}

/** A task that records when it starts and is sent, `connectMs` later. It has its result `latency` ms after its start. */
const createTasks = ({ now, after }: VirtualTime) => {
  const starts: (readonly [name: string, at: number])[] = []
  const sentAt: number[] = []
  const running = new Set<string>()
  let mostRunning = 0
  const taskOf =
    (name: string, latency: number, connectMs = 0): LimitedTask<string> =>
    (onResult, onSent) => {
      starts.push([name, now()])
      const send = (): void => {
        sentAt.push(now())
        onSent()
      }
      if (connectMs === 0) send()
      else if (connectMs < Infinity) after(connectMs, () => running.has(name) && send())
      if (latency === 0) {
        onResult(name)
        return noCancel
      }
      running.add(name)
      mostRunning = Math.max(mostRunning, running.size)
      after(latency, () => {
        if (running.delete(name)) onResult(name)
      })
      return () => running.delete(name)
    }
  return { starts, sentAt, taskOf, mostRunning: () => mostRunning }
}

describe('RequestLimiter', () => {
  const reported = collectUnhandledErrors()

  it('starts a task synchronously within the limits', () => {
    const results: number[] = []
    run(limiterOf(1, 1), completedTask(1), (result) => results.push(result))
    run(limiterOf(Infinity, 1), completedTask(2), (result) => results.push(result))
    expect(results).toEqual([1, 2])
  })

  it('starts a task beyond maxConcurrentRequests when another one ends, first in, first out', () => {
    runInVirtualTime((time) => {
      const { starts, taskOf, mostRunning } = createTasks(time)
      const limiter = limiterOf(Infinity, 2)
      const cancels = ['a', 'b', 'c', 'd', 'e'].map((name) => run(limiter, taskOf(name, 10), () => undefined))
      time.at(4, () => cancels[0]?.())
      time.at(1000, () => {
        expect(starts).toEqual([
          ['a', 0],
          ['b', 0],
          ['c', 4],
          ['d', 10],
          ['e', 14],
        ])
        expect(mostRunning()).toBe(2)
      })
    })
  })

  it('starts a task beyond maxRequestsPerSecond when the window has passed', () => {
    const remainingTimers = runInVirtualTime((time) => {
      const { starts, taskOf } = createTasks(time)
      const limiter = limiterOf(2, 64)
      for (const name of ['a', 'b', 'c', 'd', 'e']) run(limiter, taskOf(name, 1), () => undefined)
      time.at(10_000, () =>
        expect(starts).toEqual([
          ['a', 0],
          ['b', 0],
          ['c', windowMs],
          ['d', windowMs],
          ['e', 2 * windowMs],
        ]),
      )
    })
    expect(remainingTimers).toBe(0)
  })

  it('counts a task from the time at which it is sent, or has its result', () => {
    const remainingTimers = runInVirtualTime((time) => {
      const { starts, taskOf } = createTasks(time)
      const limiter = limiterOf(2, 64)
      run(limiter, taskOf('a', 500, 300), () => undefined)
      run(limiter, taskOf('b', 400, Infinity), () => undefined)
      const cancel = run(limiter, taskOf('c', 500, 200), () => undefined)
      for (const name of ['d', 'e']) run(limiter, taskOf(name, 1), () => undefined)
      time.at(300 + windowMs + 100, cancel)
      time.at(10_000, () =>
        expect(starts).toEqual([
          ['a', 0],
          ['b', 0],
          ['c', 300 + windowMs],
          ['d', 400 + windowMs],
          ['e', 400 + 2 * windowMs],
        ]),
      )
    })
    expect(remainingTimers).toBe(0)
  })

  it('starts a queued task whose window passes between two readings of the clock', () => {
    const results: string[] = []
    runInVirtualTime(() => {
      const readings = [0, 0, 0, 0]
      const clock = { ...rxClock, elapsed: () => readings.shift() ?? windowMs }
      const limiter = new RequestLimiter({ clock, maxRequestsPerSecond: 1, maxConcurrentRequests: 64 })
      run(limiter, completedTask('a'), (result) => results.push(result))
      run(limiter, completedTask('b'), (result) => results.push(result))
      expect(results).toEqual(['a'])
    })
    expect(results).toEqual(['a', 'b'])
  })

  it('starts no queued task when one tick cancels all', () => {
    const remainingTimers = runInVirtualTime((time) => {
      const { starts, taskOf } = createTasks(time)
      const limiter = limiterOf(3, 2)
      const cancels = Array.from({ length: 10 }, (_, each) =>
        run(limiter, taskOf(String(each), 10), () => expect.unreachable()),
      )
      time.at(5, () => cancels.forEach((cancel) => cancel()))
      time.at(5, () => expect(time.pendingTimers()).toBeLessThanOrEqual(3))
      time.at(1000, () => expect(starts.map(([name]) => name)).toEqual(['0', '1']))
    })
    expect(remainingTimers).toBe(0)
  })

  it('leaves no timer after the last queued task is cancelled', () => {
    const remainingTimers = runInVirtualTime(
      () => {
        const limiter = limiterOf(1, 1)
        run(limiter, completedTask(1), () => undefined)
        const cancel = run(limiter, completedTask(2), () => undefined)
        run(limiter, completedTask(3), () => undefined)()
        cancel()
      },
      { endsAt: 0 },
    )
    expect(remainingTimers).toBe(0)
  })

  it('cancels a task that cancels itself while it starts, and gives its slot to the next one', () => {
    const results: string[] = []
    runInVirtualTime((time) => {
      const { taskOf } = createTasks(time)
      const limiter = limiterOf(Infinity, 1)
      let cancelled = 0
      let cancel: Cancel = noCancel
      run(limiter, taskOf('first', 10), (name) => results.push(name))
      cancel = run<string>(
        limiter,
        (onResult) => {
          cancel()
          onResult('second')
          return () => cancelled++
        },
        (name) => results.push(name),
      )
      run(limiter, taskOf('third', 10), (name) => results.push(name))
      time.at(100, () => {
        expect(results).toEqual(['first', 'third'])
        expect(cancelled).toBe(1)
      })
    })
    expect(reported).toEqual([])
  })

  it('does not start a task that is cancelled in its turn, and starts the next one instead', () => {
    const results: string[] = []
    const remainingTimers = runInVirtualTime((time) => {
      const { starts, taskOf } = createTasks(time)
      const limiter = limiterOf(2, 1)
      const runNamed = (name: string, onTurn?: () => void): Cancel =>
        run(limiter, taskOf(name, 10), (result) => results.push(result), onTurn)
      runNamed('first')
      const cancel = runNamed('second', () => cancel())
      runNamed('third')
      const late = runNamed('late', () => undefined)
      time.at(500, () => late())
      time.at(2000, () => {
        expect(starts).toEqual([
          ['first', 0],
          ['third', 10],
        ])
      })
    })
    expect(results).toEqual(['first', 'third'])
    expect(remainingTimers).toBe(0)
  })

  it('gives turns in the order of the queued tasks, in which one task is started at once', () => {
    const remainingTimers = runInVirtualTime((time) => {
      const { starts, taskOf } = createTasks(time)
      const limiter = limiterOf(Infinity, 1)
      const runNamed = (name: string): Cancel => run(limiter, taskOf(name, 10), () => undefined)
      limiter.acquire(() => runNamed('at once'))
      runNamed('queued')
      limiter.acquire(() => {
        runNamed('in its turn')
        runNamed('last')
      })
      limiter.acquire(() => expect.unreachable())()
      limiter.acquire(() => undefined)
      runNamed('behind it')
      time.at(1000, () =>
        expect(starts).toEqual([
          ['at once', 0],
          ['queued', 10],
          ['in its turn', 20],
          ['behind it', 30],
          ['last', 40],
        ]),
      )
    })
    expect(remainingTimers).toBe(0)
  })

  it('starts the next tasks when a handler throws', () => {
    const results: string[] = []
    runInVirtualTime((time) => {
      const { taskOf } = createTasks(time)
      const limiter = limiterOf(Infinity, 1)
      run(limiter, taskOf('first', 10), (name) => results.push(name))
      const thrown = new Error('handler')
      run(limiter, completedTask('second'), () => {
        throw thrown
      })
      run(limiter, taskOf('third', 0), (name) => results.push(name))
    })
    expect(results).toEqual(['first', 'third'])
  })

  it('runs a hundred thousand queued tasks that end at once, without recursion', () => {
    let results = 0
    runInVirtualTime((time) => {
      const limiter = limiterOf(Infinity, 1)
      run(limiter, createTasks(time).taskOf('first', 10), () => undefined)
      for (let each = 0; each < 100_000; each++) run(limiter, completedTask(each), () => results++)
    })
    expect(results).toBe(100_000)
  })

  it('keeps both limits and the order for any tasks, starts none that is cancelled, and each other one', () => {
    const limit = (max: number) => fc.oneof(fc.integer({ min: 1, max }), fc.constant(Infinity))
    const request = fc.record({
      after: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(1500)),
      latency: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(3000)),
      // Of the latency. More than 1: it is never sent.
      connectShare: fc.constantFrom(0, 0.3, 0.9, 2),
      cancelledAfter: fc.option(fc.oneof(fc.constant(0), fc.nat(2000)), { nil: undefined }),
      waitsForTurn: fc.boolean(),
    })
    fc.assert(
      fc.property(
        limit(6),
        limit(4),
        fc.array(request, { maxLength: 60 }),
        (perSecond, concurrent, requests) => {
          const starts: number[] = []
          const results: number[] = []
          const cancelledInQueue = new Set<number>()
          const cancelledWhileRunning = new Set<number>()
          let mostRunning = 0
          let sentAt: readonly number[] = []
          const remainingTimers = runInVirtualTime((time) => {
            const tasks = createTasks(time)
            const limiter = limiterOf(perSecond, concurrent)
            let arrival = 0
            requests.forEach(({ after, latency, connectShare, cancelledAfter, waitsForTurn }, index) => {
              arrival += after
              time.at(arrival, () => {
                const isIn = (numbers: readonly number[]) => numbers.includes(index)
                const task: LimitedTask<string> = (onResult, onSent) => {
                  starts.push(index)
                  return tasks.taskOf(
                    String(index),
                    latency,
                    Math.round(connectShare * latency),
                  )(onResult, onSent)
                }
                let cancel = noCancel
                const start = (): void => void (cancel = run(limiter, task, () => results.push(index)))
                const cancelTurn = waitsForTurn ? limiter.acquire(start) : noCancel
                if (!waitsForTurn) start()
                if (cancelledAfter === undefined) return
                time.after(cancelledAfter, () => {
                  if (!isIn(starts)) cancelledInQueue.add(index)
                  else if (!isIn(results)) cancelledWhileRunning.add(index)
                  cancelTurn()
                  cancel()
                })
              })
            })
            time.at(900_000, () => {
              mostRunning = tasks.mostRunning()
              sentAt = tasks.sentAt
              // All slots are free again.
              const ended: number[] = []
              const count = Math.min(perSecond, concurrent, 10)
              for (let each = 0; each < count; each++)
                run(limiter, completedTask(each), (result) => ended.push(result))
              expect(ended.length).toBe(count)
            })
          })
          expect(starts).toEqual([...starts].sort((a, b) => a - b))
          const all = requests.map((_, index) => index)
          expect(starts).toEqual(all.filter((index) => !cancelledInQueue.has(index)))
          const ended = starts.filter((index) => !cancelledWhileRunning.has(index))
          expect([...results].sort((a, b) => a - b)).toEqual(ended)
          expect(mostRunning).toBeLessThanOrEqual(concurrent)
          for (const [index, at] of sentAt.entries()) {
            const withinSecond = sentAt.slice(index).filter((other) => other - at <= 1000)
            expect(withinSecond.length).toBeLessThanOrEqual(perSecond)
          }
          expect(remainingTimers).toBe(0)
        },
      ),
      { numRuns: caseCount(3000) },
    )
  })
})
