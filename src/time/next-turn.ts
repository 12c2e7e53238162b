import { macrotasks } from './macrotask.js'

/** `process` of Node. A bundler for browsers may add one without a version, whose `nextTick` is a timer. */
interface NodeProcess {
  readonly versions: { readonly node?: string }
  readonly nextTick: (callback: () => void) => void
}

/** Resolves in a later turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void macrotasks()(resolve))

/** Resolves once all promises have settled that wait for neither I/O nor a timer: in a browser, in a later turn. */
export const promisesSettled = (): Promise<void> => {
  const runtime: { readonly process?: NodeProcess } = globalThis
  const { process } = runtime
  if (process?.versions.node === undefined) return nextTurn()
  return new Promise((resolve) => process.nextTick(resolve))
}
