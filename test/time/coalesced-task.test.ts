import { describe, expect, it } from 'vitest'
import { CoalescedTask } from '../../src/time/coalesced-task.js'
import { virtually, type Virtual } from '../support/virtual.js'

/** When it acted, in ms, and how many timers were left. */
const actsOf = (
  scene: (turns: CoalescedTask, virtual: Virtual) => void,
): readonly [readonly number[], number] => {
  const acts: number[] = []
  const timersLeft = virtually((virtual) => scene(new CoalescedTask(() => acts.push(virtual.now())), virtual))
  return [acts, timersLeft]
}

describe('turns', () => {
  it('act once, however often and in whatever way they are asked before', () => {
    const [acts, left] = actsOf((turns, { at }) => {
      at(5, () => {
        turns.afterTick()
        turns.afterTurn()
        turns.afterTick()
      })
      at(7, () => {
        turns.afterTurn()
        turns.afterTick()
      })
    })
    expect([acts, left]).toEqual([[5, 7], 0])
  })

  it('act after a wait, once, and in the meantime too', () => {
    const waiting: boolean[] = []
    const [acts, left] = actsOf((turns, { at }) => {
      at(0, () => turns.afterDelay(10))
      at(2, () => turns.afterDelay(100))
      at(3, () => turns.afterTick())
      at(4, () => waiting.push(turns.isDelayed))
      at(11, () => waiting.push(turns.isDelayed))
    })
    expect([acts, left]).toEqual([[3, 10], 0])
    expect(waiting).toEqual([true, false])
  })

  it('may be asked again from inside of what they do', () => {
    let again = 0
    const acts: number[] = []
    virtually(({ now }) => {
      const turns = new CoalescedTask(() => {
        acts.push(now())
        if (again++ < 2) turns.afterTick()
      })
      turns.afterTick()
    })
    expect(acts).toEqual([0, 0, 0])
  })

  it('do nothing more when they are stopped, nor wait', () => {
    const [acts, left] = actsOf((turns, { at }) => {
      at(0, () => turns.afterDelay(10))
      at(1, () => turns.cancelDelay())
      at(20, () => {
        turns.afterTick()
        turns.afterDelay(10)
        turns.cancel()
      })
      at(40, () => {
        turns.afterTurn()
        turns.cancel()
      })
    })
    expect([acts, left]).toEqual([[], 0])
  })
})
