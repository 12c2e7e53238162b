/** Calls `work` in a later turn of the event loop. Returns the function that cancels it. */
export type StartMacrotask = (work: () => void) => () => void

/** The macrotasks of the runtime, with the functions that are installed at the time of this call. */
export const macrotasks = (): StartMacrotask => {
  // Browsers have no `setImmediate`, and delay nested timers by 4 ms.
  const runtime: Partial<typeof globalThis> = globalThis
  const { setImmediate, clearImmediate } = runtime
  if (setImmediate === undefined || clearImmediate === undefined) return startByMessage
  return (work) => {
    const immediate = setImmediate(work)
    return () => clearImmediate(immediate)
  }
}

const startByMessage: StartMacrotask = (work) => {
  const { port1, port2 }: { readonly port1: MessageTarget; readonly port2: MessageTarget } =
    new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    work()
  }
  port2.postMessage(undefined)
  return () => {
    // Deno delivers a message that was sent before the port is closed.
    port1.onmessage = null
    port1.close()
  }
}

/** A `MessagePort` as the web and Node have it. The types of Node lack `onmessage`; those of the web have another event. */
interface MessageTarget {
  onmessage?: ((this: never, event: never) => void) | null
  postMessage(message: undefined): void
  close(): void
}

/** `process` of Node. A bundler for browsers may add one without a version, whose `nextTick` is a timer. */
interface NodeProcess {
  readonly versions: { readonly node?: string }
  readonly nextTick: <A>(callback: (argument: A) => void, argument: A) => void
  /** Node runs the ticks and the callbacks of promises with it between two timers. No other runtime has it. */
  readonly _tickCallback?: () => void
}

/** Resolves in a later turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void macrotasks()(resolve))

/**
 * Returns a function that calls back once all promises have settled that wait for neither I/O nor a timer: in a browser, in a
 * later turn. On Node, it must be called inside of a callback of a promise. Like `macrotasks`, it uses the functions of the runtime at the time of this call.
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
