import { onAbort } from './on-abort.js'

export interface ClosedOnce {
  /** Closes at the first call. All calls have the same result. */
  readonly close: () => Promise<void>
  /** Closes too when the signal aborts: at once if it is aborted already. */
  readonly closeOnAbort: (signal: AbortSignal | undefined) => void
}

/** The `close` of a server, which is called by its owner, by a signal, or by both. */
export const closeOnce = (shutDown: () => Promise<void>): ClosedOnce => {
  let closing: Promise<void> | undefined
  let unregister = (): void => undefined
  const close = (): Promise<void> => {
    unregister()
    return (closing ??= shutDown())
  }
  return {
    close,
    closeOnAbort: (signal) => {
      if (signal !== undefined) unregister = onAbort(signal, () => void close())
    },
  }
}
