import { concat, filter, map, of, scan, startWith, switchMap, timer, type Observable } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import { behindMsOf, isDown, type ConnectionStatus } from '../../base/domain/snapshot.js'
import { rxClock } from '../../base/time/clock.js'
import type { Health } from '../../view/connection.js'
import { healthInterval } from '../../view/served.js'

interface State {
  readonly status: ConnectionStatus
  /** Monotonic, in ms; `undefined` unless the prices of the connection may be too old, and are held. */
  readonly behindSince: number | undefined
}

/**
 * The client's connection to the service, at each change and each second. A client that connects again keeps the reason.
 * `closedReason`: of a client that is closed, such as that of a recording at its end.
 */
export const pageHealth$ = (
  { status$ }: Pick<PriceClient, 'status$'>,
  closedReason: string,
): Observable<Health> =>
  concat(status$, of({ _tag: 'Closed' } as const)).pipe(
    filter(({ _tag }) => _tag !== 'Connecting'),
    startWith({ _tag: 'Idle' } as const),
    scan(nextState, { status: { _tag: 'Idle' }, behindSince: undefined } satisfies State as State),
    switchMap((state) => timer(0, healthInterval).pipe(map(() => healthOf(state, closedReason)))),
  )

const nextState = ({ behindSince }: State, status: ConnectionStatus): State => ({
  status,
  behindSince: behindMsOf(status) === undefined ? undefined : (behindSince ?? rxClock.elapsed()),
})

const healthOf = ({ status, behindSince = 0 }: State, closedReason: string): Health => {
  if (status._tag === 'Closed') return { _tag: 'Down', reason: closedReason, isOver: true }
  if (isDown(status)) return { _tag: 'Down', reason: status._tag === 'Waiting' ? status.reason : '' }
  const ms = behindMsOf(status)
  const behind = ms === undefined ? undefined : { ms, forMs: rxClock.elapsed() - behindSince }
  return { _tag: 'Up', behind, switches: status._tag === 'Open' ? status.switches : undefined }
}
