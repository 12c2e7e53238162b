import { macrotasks } from './macrotask.js'

/** The functions of a browser that Node lacks. */
interface Frames {
  readonly requestAnimationFrame?: (callback: () => void) => number
  readonly cancelAnimationFrame?: (handle: number) => void
}

/** Calls back at the next animation frame; in a later turn of the event loop where there are no frames. Returns its cancel. */
export const startFrame = (callback: () => void): (() => void) => {
  const { requestAnimationFrame, cancelAnimationFrame } = globalThis as Frames
  if (requestAnimationFrame === undefined || cancelAnimationFrame === undefined) return macrotasks()(callback)
  const handle = requestAnimationFrame(callback)
  return () => cancelAnimationFrame(handle)
}
