import { vi } from 'vitest'

/** Animation frames that the test runs. */
export const controlFrames = () => {
  const frames = new Map<number, () => void>()
  let handle = 0
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => {
    frames.set(++handle, callback)
    return handle
  })
  vi.stubGlobal('cancelAnimationFrame', (cancelled: number) => frames.delete(cancelled))
  const run = () => {
    const callbacks = [...frames.values()]
    frames.clear()
    for (const callback of callbacks) callback()
  }
  return { frames, run }
}
