import { from, map, merge, NEVER, take, timer, type Observable } from 'rxjs'
import { interrupted } from './interrupt.js'
import { outputClosed } from './output/print.js'

/** Emits once, when a command that would go on is to end: Ctrl-C, nobody reads its output, its time is over. */
export const stop$ = (durationMs: number | undefined): Observable<void> =>
  merge(from(interrupted()), from(outputClosed()), durationMs === undefined ? NEVER : timer(durationMs)).pipe(
    map(() => undefined),
    take(1),
  )
