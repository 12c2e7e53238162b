interface Registration {
  readonly callbacks: Set<() => void>
  readonly listener: () => void
}

/**
 * One listener per signal: many clients may share one signal, and Node prints a leak warning above ten listeners.
 */
const registrations = new WeakMap<AbortSignal, Registration>()

/** Calls back when a signal aborts, at once if it is aborted already. Returns the function that unregisters. */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  if (signal.aborted) callback()
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
