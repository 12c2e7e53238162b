import { describe, expect, it } from 'vitest'
import { Turns } from '../../src/time/coalesced-task.js'
import { virtually, type Virtual } from '../support/virtual.js'

/** When it acted, in ms, and how many timers were left. */
const actsOf = (scene: (turns: Turns, virtual: Virtual) => void): readonly [readonly number[], number] => {
  const acts: number[] = []
  const timersLeft = virtually((virtual) => scene(new Turns(() => acts.push(virtual.now())), virtual))
  return [acts, timersLeft]
}

describe('turns', () => {
  it('act once, however often and in whatever way they are asked before', () => {
    const [acts, left] = actsOf((turns, { at }) => {
      at(5, () => {
        turns.soon()
        turns.nextTurn()
        turns.soon()
      })
      at(7, () => {
        turns.nextTurn()
        turns.soon()
      })
    })
    expect([acts, left]).toEqual([[5, 7], 0])
  })

  it('act after a wait, once, and in the meantime too', () => {
    const waiting: boolean[] = []
    const [acts, left] = actsOf((turns, { at }) => {
      at(0, () => turns.after(10))
      at(2, () => turns.after(100))
      at(3, () => turns.soon())
      at(4, () => waiting.push(turns.isWaiting))
      at(11, () => waiting.push(turns.isWaiting))
    })
    expect([acts, left]).toEqual([[3, 10], 0])
    expect(waiting).toEqual([true, false])
  })

  it('may be asked again from inside of what they do', () => {
    let again = 0
    const acts: number[] = []
    virtually(({ now }) => {
      const turns = new Turns(() => {
        acts.push(now())
        if (again++ < 2) turns.soon()
      })
      turns.soon()
    })
    expect(acts).toEqual([0, 0, 0])
  })

  it('do nothing more when they are stopped, nor wait', () => {
    const [acts, left] = actsOf((turns, { at }) => {
      at(0, () => turns.after(10))
      at(1, () => turns.stopWaiting())
      at(20, () => {
        turns.soon()
        turns.after(10)
        turns.stop()
      })
      at(40, () => {
        turns.nextTurn()
        turns.stop()
      })
    })
    expect([acts, left]).toEqual([[], 0])
  })
})
