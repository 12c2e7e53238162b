import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { closeOnce } from '../../../src/base/task/close-once.js'

const start = () => {
  let closings = 0
  const { close, closeOnAbort } = closeOnce(() => {
    closings += 1
    return Promise.resolve()
  })
  return { close, closeOnAbort, closings: () => closings }
}

describe('closeOnce', () => {
  it('closes when the signal aborts', () => {
    const controller = new AbortController()
    const { closeOnAbort, closings } = start()
    closeOnAbort(controller.signal)
    expect(closings()).toBe(0)
    controller.abort()
    expect(closings()).toBe(1)
  })

  it('closes at once if the signal is aborted already', () => {
    const { closeOnAbort, closings } = start()
    closeOnAbort(AbortSignal.abort())
    expect(closings()).toBe(1)
  })

  it('closes once, and leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    const { close, closeOnAbort, closings } = start()
    closeOnAbort(signal)
    expect(close()).toBe(close())
    await close()
    expect(closings()).toBe(1)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('needs no signal', () => {
    const { closeOnAbort, closings } = start()
    closeOnAbort(undefined)
    expect(closings()).toBe(0)
  })
})
