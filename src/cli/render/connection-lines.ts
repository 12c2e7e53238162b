import { distinctUntilChanged, filter, map, pairwise, startWith, type Observable } from 'rxjs'
import { behindMsOf, type ConnectionStatus, type Open, type Waiting } from '../../base/domain/snapshot.js'
import type { DiagnosticMessages } from '../../base/diagnostics/messages.js'
import { behindText, printable } from '../../base/errors/text.js'
import { depthRoute } from '../../wire/http/requests.js'
import { withVariable } from '../target/source-flags.js'

// The lines for the operator of a long-running command: gateway, record and paper.

export interface LogLine {
  /** `warn`: a problem. `info`: its end, or what the user should know. */
  readonly level: 'info' | 'warn'
  readonly message: string
}

/** Sentences that describe the effect on the command. */
export interface Meanwhile {
  readonly down: string
  readonly behind: string
}

/** For a command that keeps the prices in something, such as a recording. */
export const withoutPrices = (name: string): Meanwhile => ({
  down: `The ${name} has no prices until it returns.`,
  behind: `The ${name} has no prices until they are current.`,
})

/** One line when the connection to the service is lost or behind, and one when its prices are current again. */
export const connectionLines$ = (
  status$: Observable<ConnectionStatus>,
  meanwhile: Meanwhile,
): Observable<LogLine> =>
  status$.pipe(
    filter((status): status is Open | Waiting => status._tag === 'Open' || status._tag === 'Waiting'),
    startWith(assumedStatus),
    distinctUntilChanged(
      (before, after) => before._tag === after._tag && isBehind(before) === isBehind(after),
    ),
    pairwise(),
    map(([before, after]) => lineOf(before, after, meanwhile)),
  )

/** Before the first subscription, the state of the service is unknown. */
const assumedStatus: Open = { _tag: 'Open', epoch: 0, since: 0 }

const isBehind = (status: ConnectionStatus): boolean => behindMsOf(status) !== undefined

const lineOf = (before: ConnectionStatus, after: Open | Waiting, { down, behind }: Meanwhile): LogLine => {
  if (after._tag === 'Waiting')
    return { level: 'warn', message: `No connection to the service: ${printable(after.reason)}. ${down}` }
  if (after.behindMs !== undefined)
    return { level: 'warn', message: `The prices are ${behindText(after.behindMs)}. ${behind}` }
  const message = before._tag === 'Waiting' ? 'The service has returned.' : 'The prices are current again.'
  return { level: 'info', message }
}

type Request = DiagnosticMessages['svc-streams:request']

/** A line when depth requests fail, and when they succeed again. One failure may come from the clock, which the client corrects. */
export const depthLines = (print: (line: LogLine) => void, effect: string): ((request: Request) => void) => {
  let failures = 0
  return (request) => {
    if (request.route !== depthRoute) return
    const problem = depthProblem(request)
    if (problem === undefined) {
      if (failures > 1) print({ level: 'info', message: 'Depth requests succeed again.' })
      failures = 0
    } else if (++failures === 2)
      print({ level: 'warn', message: `Depth requests fail: ${problem}. ${effect}` })
  }
}

/** The service answers 500 for a token that it does not support. */
const depthProblem = ({ status = 0, error }: Request): string | undefined => {
  if (status === 401) return `status 401. Check ${withVariable('authKey')}`
  return status > 500 ? `status ${status}` : error && requestProblems[error]
}

const requestProblems = {
  NetworkError: 'no connection',
  Timeout: 'no answer in time',
  DecodeError: 'the answer is not readable',
} as const
