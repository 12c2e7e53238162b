import type { Observable } from 'rxjs'
import { liveSources, type LiveSource } from '../../../src/base/domain/past.js'

/** A live stream, as a client has it. */
export const liveStream$ = <Stream$ extends Observable<unknown>>(
  open$: (onConfirmed?: () => void) => Stream$,
  position: LiveSource<unknown>['position'],
  maxLag?: number,
  isCurrent?: LiveSource<unknown>['isCurrent'],
): Stream$ => {
  const stream$ = open$()
  liveSources.set(stream$, { open$, position, maxLag, isCurrent })
  return stream$
}
