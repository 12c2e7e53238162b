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
  const onAbort = (): void => void close()
  return {
    close,
    closeOnAbort: (signal) => {
      if (signal?.aborted === true) return onAbort()
      signal?.addEventListener('abort', onAbort)
      unregister = () => signal?.removeEventListener('abort', onAbort)
    },
  }
}
