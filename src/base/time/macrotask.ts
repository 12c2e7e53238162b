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

/** Resolves in a later turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void macrotasks()(resolve))
