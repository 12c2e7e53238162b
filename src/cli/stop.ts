import { from, map, merge, NEVER, take, timer, type Observable } from 'rxjs'
import { outputClosed } from './output/stdout.js'

/** Emits once, when a streaming command must stop: on Ctrl-C, when its output is closed, or after `durationMs`. */
export const stop$ = (durationMs: number | undefined): Observable<void> =>
  merge(from(interrupted()), from(outputClosed()), durationMs === undefined ? NEVER : timer(durationMs)).pipe(
    map(() => undefined),
    take(1),
  )

const signals = ['SIGINT', 'SIGTERM'] as const

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
