import { ignoreElements, startWith, tap, type Observable } from 'rxjs'
import type { Demonstration } from '../demonstration/demonstration.js'
import { rxClock } from '../../time/rx-clock.js'
import { formatTime } from '../output/format.js'
import { canRedraw } from './show-rows.js'

/** Runs the demonstration. Prints a line for each step where no board is drawn. */
export const demonstrate$ = (
  { title, detail, step$ }: Demonstration,
  output: NodeJS.WriteStream,
  json: boolean,
): Observable<never> => {
  const isPrinted = !json && !canRedraw(output)
  return step$.pipe(
    startWith(`${title} ${detail} Press Ctrl-C to stop.`),
    tap((text) => isPrinted && output.write(`${formatTime(rxClock.wallClock())} ${text}\n`)),
    ignoreElements(),
  )
}
