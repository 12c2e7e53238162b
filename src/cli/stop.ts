import {
  endWith,
  firstValueFrom,
  from,
  ignoreElements,
  map,
  merge,
  NEVER,
  take,
  timer,
  type Observable,
} from 'rxjs'
import { outputClosed, type Io, type StopSignal } from './io.js'

/** Why a streaming command stops: on Ctrl-C, when the reader closes its output, or after `--duration`. */
export type StopReason = 'interrupted' | 'output closed' | 'duration'

export const stop$ = (io: Io, durationMs: number | undefined): Observable<StopReason> =>
  merge(
    from(interrupted(io)).pipe(map(() => 'interrupted' as const)),
    // The program prints any other write error.
    from(outputClosed(io.stdout).catch(() => undefined)).pipe(map(() => 'output closed' as const)),
    durationMs === undefined ? NEVER : timer(durationMs).pipe(map(() => 'duration' as const)),
  ).pipe(take(1))

/** False if the reader closes the output before the work completes. Throws if the user stops it, or if one of the files then lacks its end. */
export const completes = async (
  io: Io,
  work$: Observable<unknown>,
  progress: () => string,
  files: readonly (string | undefined)[] = [],
): Promise<boolean> => {
  const completed$ = work$.pipe(ignoreElements(), endWith('completed' as const))
  const end = await firstValueFrom(merge(completed$, stop$(io, undefined)))
  const isIncomplete = end === 'output closed' && files.some((file) => file !== undefined)
  if (end === 'interrupted' || isIncomplete) throw new Error(`stopped${progress()}`)
  return end === 'completed'
}

/** Ctrl-C, the stop request of a process manager, a closed terminal, and Ctrl-Break. */
export const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']

/** Resolves to the first of these signals, and removes the handlers: a second signal ends the process immediately. */
export const interrupted = (
  io: Pick<Io, 'on' | 'off'>,
  stopSignals: readonly StopSignal[] = signals,
): Promise<StopSignal> =>
  new Promise((resolve) => {
    const handlers = stopSignals.map((signal) => {
      const stop = () => {
        // Other handlers of this signal, such as one that restores the cursor, check for further handlers: remove later.
        process.nextTick(() => {
          for (const each of handlers) io.off(each.signal, each.stop)
        })
        resolve(signal)
      }
      return { signal, stop }
    })
    for (const { signal, stop } of handlers) io.on(signal, stop)
  })
