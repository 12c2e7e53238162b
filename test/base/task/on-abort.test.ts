import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { onAbort } from '../../../src/base/task/close-once.js'

describe('onAbort', () => {
  it('calls each registered callback once when the signal aborts', () => {
    const controller = new AbortController()
    const called: number[] = []
    const unregister = [1, 2, 3].map((id) => onAbort(controller.signal, () => called.push(id)))
    unregister[1]?.()
    controller.abort()
    expect(called).toEqual([1, 3])
  })

  it('calls back at once if the signal is aborted already', () => {
    let calls = 0
    onAbort(AbortSignal.abort(), () => calls++)()
    expect(calls).toBe(1)
  })

  it('adds one listener per signal, and removes it with the last callback', () => {
    const { signal } = new AbortController()
    const unregister = Array.from({ length: 100 }, () => onAbort(signal, () => undefined))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    for (const each of unregister) each()
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    onAbort(signal, () => undefined)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  })

  it('calls every callback, even if one unregisters the others', () => {
    const controller = new AbortController()
    const unregister: (() => void)[] = []
    let calls = 0
    for (let count = 0; count < 3; count++) {
      unregister.push(
        onAbort(controller.signal, () => {
          calls++
          for (const each of unregister) each()
        }),
      )
    }
    controller.abort()
    expect(calls).toBe(3)
  })
})
