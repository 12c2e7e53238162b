export interface ClosedOnce {
  /** Closes at the first call. All calls have the same result. */
  readonly close: () => Promise<void>
  /** Closes too when the signal aborts: at once if it is aborted already. */
  readonly closeOnAbort: (signal: AbortSignal | undefined) => void
}

/** The `close` of a client or a server, which is called by its owner, by a signal, or by both. */
export const closeOnce = (shutDown: () => Promise<void>): ClosedOnce => {
  let closing: Promise<void> | undefined
  let unregister = (): void => undefined
  const close = (): Promise<void> => {
    if (closing !== undefined) return closing
    unregister()
    // Set before subscribers are notified: a handler may close it again.
    closing = Promise.resolve().then(() => closed)
    const closed = shutDown()
    return closing
  }
  return {
    close,
    closeOnAbort: (signal) => {
      if (signal !== undefined) unregister = onAbort(signal, () => void close())
    },
  }
}

interface Registration {
  readonly callbacks: Set<() => void>
  readonly listener: () => void
}

/** One listener per signal: many clients may share one signal, and Node prints a leak warning above ten listeners. */
const registrations = new WeakMap<AbortSignal, Registration>()

/** Calls back when a signal aborts, at once if it is aborted already. Returns the function that unregisters. */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  if (signal.aborted) {
    callback()
    return () => undefined
  }
  const { callbacks, listener } = registrations.get(signal) ?? register(signal)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size > 0) return
    registrations.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}

const register = (signal: AbortSignal): Registration => {
  const callbacks = new Set<() => void>()
  const listener = () => [...callbacks].forEach((callback) => callback())
  const registration = { callbacks, listener }
  registrations.set(signal, registration)
  signal.addEventListener('abort', listener)
  return registration
}
