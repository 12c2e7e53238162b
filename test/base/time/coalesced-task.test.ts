import { describe, expect, it } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import { CoalescedTask } from '../../../src/base/time/timers.js'
import { blockEventLoop } from '../../support/time/event-loop.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'

/** The times of the runs, in ms, and the number of remaining timers. */
const runsOf = (
  scenario: (task: CoalescedTask, virtual: VirtualTime) => void,
): readonly [readonly number[], number] => {
  const runs: number[] = []
  const remainingTimers = runInVirtualTime((virtual) =>
    scenario(new CoalescedTask(rxClock, () => runs.push(virtual.now())), virtual),
  )
  return [runs, remainingTimers]
}

describe('CoalescedTask', () => {
  it('runs once, however often and by whichever method it is requested', () => {
    const [runs, remainingTimers] = runsOf((task, { at }) => {
      at(5, () => {
        task.afterTick()
        task.afterTurn()
        task.afterTick()
      })
      at(7, () => {
        task.afterTurn()
        task.afterRead()
        task.afterTick()
      })
      at(9, () => {
        task.afterRead()
        task.afterTurn()
        task.afterRead()
      })
    })
    expect([runs, remainingTimers]).toEqual([[5, 7, 9], 0])
  })

  it('runs once after the first delay, and also when requested during it', () => {
    const delayed: boolean[] = []
    const [runs, remainingTimers] = runsOf((task, { at }) => {
      at(0, () => task.afterDelay(10))
      at(2, () => task.afterDelay(100))
      at(3, () => task.afterTick())
      at(4, () => delayed.push(task.isDelayed))
      at(11, () => delayed.push(task.isDelayed))
    })
    expect([runs, remainingTimers]).toEqual([[3, 10], 0])
    expect(delayed).toEqual([true, false])
  })

  it('runs again when the task itself requests it', () => {
    let repeats = 0
    const runs: number[] = []
    runInVirtualTime(({ now }) => {
      const task = new CoalescedTask(rxClock, () => {
        runs.push(now())
        if (repeats++ < 2) task.afterTick()
      })
      task.afterTick()
    })
    expect(runs).toEqual([0, 0, 0])
  })

  it('runs after the immediates of the turn in which it was requested', async () => {
    const order: string[] = []
    await new Promise<void>((resolve) => {
      const task = new CoalescedTask(rxClock, () => {
        order.push('task')
        resolve()
      })
      task.afterRead()
      // Blocks beyond the timer of the task.
      blockEventLoop(20)
      setImmediate(() => order.push('immediate'))
    })
    expect(order).toEqual(['immediate', 'task'])
  })

  it('does not run after it is cancelled, and leaves no timer', () => {
    const [runs, remainingTimers] = runsOf((task, { at }) => {
      at(0, () => task.afterDelay(10))
      at(1, () => task.cancelDelay())
      at(20, () => {
        task.afterTick()
        task.afterDelay(10)
        task.cancel()
      })
      at(40, () => {
        task.afterTurn()
        task.cancel()
        task.afterRead()
        task.cancel()
      })
    })
    expect([runs, remainingTimers]).toEqual([[], 0])
  })
})
