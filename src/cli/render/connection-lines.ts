import { distinctUntilChanged, filter, map, pairwise, startWith, type Observable } from 'rxjs'
import { formatTime } from '../../view/texts.js'
import { behindMsOf, type ConnectionStatus, type Open, type Waiting } from '../../base/domain/status.js'
import { behindText, printable } from '../../base/errors/text.js'
import { serviceIsDown } from '../../gateway/subscriptions/upstream.js'
import { rxClock } from '../../base/time/rx-clock.js'

// The lines for the operator of a long-running command: gateway and record.

/** A line with the current time in front of it. */
export const timed = (line: string): string => `${formatTime(rxClock.wallClock())} ${line}`

/** Sentences that describe the effect on the command. */
export interface Meanwhile {
  readonly down: string
  readonly behind: string
}

/** One line when the connection to the service is lost or behind, and one when its prices are current again. */
export const connectionLines$ = (
  status$: Observable<ConnectionStatus>,
  meanwhile: Meanwhile,
): Observable<string> =>
  status$.pipe(
    filter((status): status is Open | Waiting => status._tag === 'Open' || status._tag === 'Waiting'),
    startWith(assumedStatus),
    distinctUntilChanged(
      (before, after) => before._tag === after._tag && isBehind(before) === isBehind(after),
    ),
    pairwise(),
    map(([before, after]) => lineOf(before, after, meanwhile)),
  )

const hasReturned = 'The service has returned.'
const areCurrent = 'The prices are current again.'

/** True for a line that reports a problem, and false for one that reports its end. */
export const isWarning = (line: string): boolean => line !== hasReturned && line !== areCurrent

/** Before the first subscription, the state of the service is unknown. */
const assumedStatus: Open = { _tag: 'Open', epoch: 0, since: 0 }

const isBehind = (status: ConnectionStatus): boolean => behindMsOf(status) !== undefined

const lineOf = (before: ConnectionStatus, after: Open | Waiting, { down, behind }: Meanwhile): string => {
  if (after._tag === 'Waiting') return `The service is down: ${reasonOf(after)}. ${down}`
  if (after.behindMs !== undefined) return `The prices are ${behindText(after.behindMs)}. ${behind}`
  return before._tag === 'Waiting' ? hasReturned : areCurrent
}

/** The reason of a gateway begins with the same words. */
const reasonOf = ({ reason }: Waiting): string => {
  const prefix = `${serviceIsDown}: `
  return printable(reason.startsWith(prefix) ? reason.slice(prefix.length) : reason)
}
