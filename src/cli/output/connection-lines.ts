import { distinctUntilChanged, filter, map, skip, startWith, type Observable } from 'rxjs'
import type { ConnectionStatus } from '../../domain/status.js'
import { printable } from '../../errors/text.js'

/** One line when the connection to the service is lost, and one when it returns. */
export const connectionLines$ = (status$: Observable<ConnectionStatus>): Observable<string> =>
  status$.pipe(
    filter(({ _tag }) => _tag === 'Open' || _tag === 'Waiting'),
    startWith(assumedStatus),
    distinctUntilChanged((before, after) => before._tag === after._tag),
    skip(1),
    map((status) => (status._tag === 'Waiting' ? lostText(status.reason) : 'The service has returned.')),
  )

/** Before the first demand, nothing is known about the service. */
const assumedStatus: ConnectionStatus = { _tag: 'Open', epoch: 0, since: 0 }

const lostText = (reason: string): string =>
  `The service is down: ${printable(reason)}. The gateway refuses consumers until it returns.`
