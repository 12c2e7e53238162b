/**
 * Returns a function that settles all promises that wait for neither I/O nor a timer, before it returns: in the order of Node,
 * ticks first. It is valid until the end of the current macrotask, and throws what a tick throws: the macrotask must throw that
 * too. `undefined` if the runtime has no such function: only Node has it, and not inside of a callback of a promise.
 */
export const promiseDrain = (): (() => void) | undefined => {
  const runtime: { readonly process?: NodeProcess } = globalThis
  const { nextTick, _tickCallback: drain } = runtime.process ?? {}
  if (nextTick === undefined || drain === undefined) return undefined
  let isSettled = false as boolean
  // A callback that runs in the tick itself, and starts another tick, would precede the promises that it has started.
  nextTick(() => {
    void Promise.resolve().then(() => {
      isSettled = true
    })
  })
  drain()
  return isSettled ? drain : undefined
}

interface NodeProcess {
  readonly nextTick: (callback: () => void) => void
  /** Node runs the ticks and the callbacks of promises with it between two timers. No other runtime has it. */
  readonly _tickCallback?: () => void
}
