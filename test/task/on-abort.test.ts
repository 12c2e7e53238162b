import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { onAbort } from '../../src/task/on-abort.js'

describe('onAbort', () => {
  it('acts once when the signal aborts, for each who asked and has not taken it back', () => {
    const controller = new AbortController()
    const acted: number[] = []
    const leave = [1, 2, 3].map((who) => onAbort(controller.signal, () => acted.push(who)))
    leave[1]?.()
    controller.abort()
    expect(acted).toEqual([1, 3])
  })

  it('acts at once where the signal has aborted', () => {
    let acted = 0
    onAbort(AbortSignal.abort(), () => acted++)()
    expect(acted).toBe(1)
  })

  it('has one listener on a signal, however many ask, and none when all have taken it back', () => {
    const { signal } = new AbortController()
    const leave = Array.from({ length: 100 }, () => onAbort(signal, () => undefined))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    for (const one of leave) one()
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    onAbort(signal, () => undefined)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  })

  it('lets an action take back others', () => {
    const controller = new AbortController()
    const leave: (() => void)[] = []
    let acted = 0
    for (let count = 0; count < 3; count++) {
      leave.push(
        onAbort(controller.signal, () => {
          acted++
          for (const one of leave) one()
        }),
      )
    }
    controller.abort()
    expect(acted).toBe(3)
  })
})
