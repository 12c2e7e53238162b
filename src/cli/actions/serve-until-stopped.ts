import { firstValueFrom, from, merge } from 'rxjs'
import type { Source } from '../input/source.js'
import { recordingFailure$ } from '../outcome/recording-failure.js'
import { connectionLines$ } from '../output/connection-lines.js'
import { log } from '../output/log.js'
import { interrupted } from '../stop.js'

/**
 * Prints the summary of a gateway, then logs the state of its source until the user stops the command. Fails if the
 * recording is damaged.
 */
export const serveUntilStopped = async (source: Source, summary: string): Promise<void> => {
  const stopped$ = from(interrupted())
  process.stdout.write(summary)
  const lines = connectionLines$(source.client.status$).subscribe(log)
  const failure$ = recordingFailure$(source, () => log('The recording has ended. Press Ctrl-C to stop.'))
  await firstValueFrom(merge(stopped$, failure$)).finally(() => lines.unsubscribe())
}
