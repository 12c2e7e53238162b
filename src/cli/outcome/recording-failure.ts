import { isLeft } from 'fp-ts/lib/Either.js'
import { from, mergeMap, NEVER, type Observable } from 'rxjs'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import type { Source } from '../input/source.js'

/**
 * Fails if the recording of a source is damaged. Otherwise it never ends: a server continues after the last row. `onEnd`:
 * called at the end of the recording.
 */
export const recordingFailure$ = (
  { finished }: Pick<Source, 'finished'>,
  onEnd: () => void = () => undefined,
): Observable<never> =>
  from(finished ?? NEVER).pipe(
    mergeMap((result) => {
      if (isLeft(result)) throw new Error(printable(renderError(result.left)))
      onEnd()
      return NEVER
    }),
  )
