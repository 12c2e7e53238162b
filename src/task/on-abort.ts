/** What is to be done when a signal aborts. Many clients may share one, and signals warn of many listeners. */
const followers = new WeakMap<AbortSignal, Followers>()

interface Followers {
  readonly actions: Set<() => void>
  readonly listener: () => void
}

/** Does something when a signal aborts, at once if it has. Returns how that is taken back. */
export const onAbort = (signal: AbortSignal, act: () => void): (() => void) => {
  if (signal.aborted) act()
  const { actions, listener } = followers.get(signal) ?? follow(signal)
  actions.add(act)
  return () => {
    actions.delete(act)
    if (actions.size > 0) return
    followers.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}

const follow = (signal: AbortSignal): Followers => {
  const actions = new Set<() => void>()
  const listener = () => [...actions].forEach((act) => act())
  followers.set(signal, { actions, listener })
  signal.addEventListener('abort', listener)
  return { actions, listener }
}
