import { from, map, merge, NEVER, take, timer, type Observable } from 'rxjs'
import { outputClosed } from './output/stdout.js'

/** Why a streaming command stops: on Ctrl-C, when the reader closes its output, or after `--duration`. */
export type StopReason = 'interrupted' | 'output closed' | 'duration'

/** Emits once, when a streaming command must stop. */
export const stop$ = (durationMs: number | undefined): Observable<StopReason> =>
  merge(
    from(interrupted()).pipe(map(() => 'interrupted' as const)),
    from(outputClosed()).pipe(map(() => 'output closed' as const)),
    durationMs === undefined ? NEVER : timer(durationMs).pipe(map(() => 'duration' as const)),
  ).pipe(take(1))

/** Ctrl-C, and the request of a process manager to end. */
export const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Resolves on the first SIGINT (Ctrl-C) or SIGTERM. The handlers are then removed, so that a second signal ends the
 * process immediately.
 */
export const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      // Other handlers of this signal, such as one that restores the cursor, check for further handlers: remove later.
      process.nextTick(() => {
        for (const signal of signals) process.off(signal, stop)
      })
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
