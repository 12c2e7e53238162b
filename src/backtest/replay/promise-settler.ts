import { nextTurn } from '../../base/time/macrotask.js'

/**
 * Returns a function that calls back once all promises have settled that wait for neither I/O nor a timer: in a browser, in a
 * later turn. On Node, it must be called inside of a callback of a promise. Like `macrotasks`, it uses the functions of the
 * runtime at the time of this call.
 */
export const promiseSettler = (): ((callback: () => void) => void) => {
  const runtime: { readonly process?: NodeProcess } = globalThis
  const { process } = runtime
  if (process?.versions.node === undefined) return (callback) => void nextTurn().then(callback)
  const { nextTick } = process
  return (callback) => nextTick(afterMicrotask, callback)
}

/** A callback that runs in the tick itself, and starts another tick, would precede the promises that it has started. */
const afterMicrotask = (callback: () => void): void => void resolved.then(callback)

const resolved = Promise.resolve()

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
  nextTick(afterMicrotask, () => {
    isSettled = true
  })
  drain()
  return isSettled ? drain : undefined
}

/** `process` of Node. A bundler for browsers may add one without a version, whose `nextTick` is a timer. */
interface NodeProcess {
  readonly versions: { readonly node?: string }
  readonly nextTick: <A>(callback: (argument: A) => void, argument: A) => void
  /** Node runs the ticks and the callbacks of promises with it between two timers. No other runtime has it. */
  readonly _tickCallback?: () => void
}
