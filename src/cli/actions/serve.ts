import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isLeft } from 'fp-ts/lib/Either.js'
import {
  distinctUntilChanged,
  filter,
  firstValueFrom,
  from,
  map,
  merge,
  mergeMap,
  NEVER,
  pairwise,
  startWith,
  type Observable,
} from 'rxjs'
import type { DiagnosticMessages } from '../../diagnostics/messages.js'
import { formatTime } from '../../display/texts.js'
import { behindMsOf, type ConnectionStatus, type Open, type Waiting } from '../../domain/status.js'
import { behindText, printable } from '../../errors/text.js'
import { GatewayError } from '../../gateway/index.js'
import { rxClock } from '../../time/rx-clock.js'
import type { OpenSource } from '../input/open-source.js'
import { flagName } from '../input/source-flags.js'
import type { Io } from '../io.js'
import { errorLine } from '../output/error-text.js'
import { interrupted } from '../stop.js'
import { variableText } from '../tokens/select-tokens.js'

// What the commands that serve a source until they are stopped have in common: gateway and dashboard.

/**
 * Prints the summary of a gateway, then logs the state of its source until the user stops the command. Fails if the
 * recording is damaged.
 */
export const serveUntilStopped = async (io: Io, source: OpenSource, summary: string): Promise<void> => {
  const stopped$ = from(interrupted(io))
  io.stdout.write(summary)
  const lines = connectionLines$(source.client.status$).subscribe((line) => log(io, line))
  const failure$ = recordingFailure$(source, () => log(io, 'The recording has ended. Press Ctrl-C to stop.'))
  await firstValueFrom(merge(stopped$, failure$)).finally(() => lines.unsubscribe())
}

/** Prints a line for the operator, with its time. */
export const log = (io: Io, line: string): void => {
  io.stderr.write(`${formatTime(rxClock.wallClock())} ${line}\n`)
}

/** Runs a gateway. One line when its history cannot be written, and one when it is written again. */
export const withHistoryLog = async (io: Io, run: () => Promise<void>): Promise<void> => {
  const onHistory = (message: unknown): void => {
    const { error } = message as DiagnosticMessages['svc-streams:gateway-history']
    log(
      io,
      error === undefined
        ? 'The history is written again.'
        : `The history cannot be written: ${printable(error.cause.message)}. Prices are passed on as before.`,
    )
  }
  subscribe('svc-streams:gateway-history', onHistory)
  await run().finally(() => unsubscribe('svc-streams:gateway-history', onHistory))
}

/** One line when the connection to the service is lost or behind, and one when its prices are current again. */
export const connectionLines$ = (status$: Observable<ConnectionStatus>): Observable<string> =>
  status$.pipe(
    filter((status): status is Open | Waiting => status._tag === 'Open' || status._tag === 'Waiting'),
    startWith(assumedStatus),
    distinctUntilChanged(
      (before, after) => before._tag === after._tag && isBehind(before) === isBehind(after),
    ),
    pairwise(),
    map(([before, after]) => lineOf(before, after)),
  )

/** Before the first demand, nothing is known about the service. */
const assumedStatus: Open = { _tag: 'Open', epoch: 0, since: 0 }

const isBehind = (status: ConnectionStatus): boolean => behindMsOf(status) !== undefined

const lineOf = (before: ConnectionStatus, after: Open | Waiting): string => {
  if (after._tag === 'Waiting')
    return `The service is down: ${printable(after.reason)}. The gateway refuses consumers until it returns.`
  if (after.behindMs !== undefined)
    return `The prices are ${behindText(after.behindMs)}. The gateway holds them until they are current.`
  return before._tag === 'Waiting' ? 'The service has returned.' : 'The prices are current again.'
}

/**
 * Fails if the recording of a source is damaged. Otherwise it never ends: a server continues after the last row. `onEnd`:
 * called at the end of the recording.
 */
export const recordingFailure$ = (
  { finished }: Pick<OpenSource, 'finished'>,
  onEnd: () => void = () => undefined,
): Observable<never> =>
  from(finished ?? NEVER).pipe(
    mergeMap((result) => {
      if (isLeft(result)) throw new Error(errorLine(result.left))
      onEnd()
      return NEVER
    }),
  )

/** The failure of a command whose gateway cannot listen or cannot record, with its flag. Any other failure is unchanged. */
export const listenFailure = (thrown: unknown): unknown =>
  thrown instanceof GatewayError
    ? new Error(`${flagName(thrown.option.replace(/\..*/, ''))}: ${thrown.problem}`)
    : thrown

export const tokenLines = ({ ownTokens }: Pick<OpenSource, 'ownTokens'>): readonly string[] =>
  ownTokens.length === 0 ? [] : [`export SVC_TOKENS=${ownTokens.map(variableText).join(',')}`]
