import { concat, filter, map, of, startWith, switchMap, timer, type Observable } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { ConnectionStatus } from '../../base/domain/snapshot.js'
import type { Health } from '../../view/connection.js'
import { healthInterval } from '../../view/served.js'

/** At each change and each second. A client that connects again keeps the reason. `closedReason`: of a client that is closed. */
export const pageHealth$ = (
  { status$ }: Pick<PriceClient, 'status$'>,
  closedReason: string,
): Observable<Health> =>
  concat(status$, of({ _tag: 'Closed' } as const)).pipe(
    filter(({ _tag }) => _tag !== 'Connecting'),
    startWith({ _tag: 'Idle' } as const),
    map((status) => healthOf(status, closedReason)),
    switchMap((health) => timer(0, healthInterval).pipe(map(() => health))),
  )

const healthOf = (status: ConnectionStatus, closedReason: string): Health => {
  if (status._tag === 'Closed') return { _tag: 'Down', reason: closedReason, isOver: true }
  if (status._tag === 'Waiting') return { _tag: 'Down', reason: status.reason }
  if (status._tag !== 'Open') return { _tag: 'Up' }
  const { behindMs, switches } = status
  return {
    _tag: 'Up',
    ...(behindMs !== undefined && { behindMs }),
    ...(switches !== undefined && { switches }),
  }
}
