import { macrotasks } from './macrotask.js'

/** `process` of Node. A bundler for browsers may add one without a version, whose `nextTick` is a timer. */
interface NodeProcess {
  readonly versions: { readonly node?: string }
  readonly nextTick: <A>(callback: (argument: A) => void, argument: A) => void
}

/** Resolves in a later turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void macrotasks()(resolve))

/**
 * Returns a function that calls back once all promises have settled that wait for neither I/O nor a timer: in a browser, in a
 * later turn. Like `macrotasks`, it uses the functions of the runtime at the time of this call.
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
