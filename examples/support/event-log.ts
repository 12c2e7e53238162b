import { filter, from, map, merge, mergeMap, pairwise, type Observable } from 'rxjs'
import { renderError, type Client } from 'svc-streams'
import { describeStatus } from './format.js'
import type { TokenRow } from './token-row.js'

/** One line per change: the connection opens or closes, a token fails or recovers. */
export const eventLog$ = (client: Client, rows$: Observable<readonly TokenRow[]>): Observable<string> => {
  const connection$ = client.status$.pipe(
    filter(({ _tag }) => _tag === 'Open' || _tag === 'Waiting'),
    map(describeStatus),
  )
  const tokens$ = rows$.pipe(
    pairwise(),
    mergeMap(([before, after]) => from(after.flatMap((row, index) => describeChange(before[index], row)))),
  )
  return merge(connection$, tokens$)
}

const describeChange = (before: TokenRow | undefined, after: TokenRow): readonly string[] => {
  const error = loggedError(after)
  const errorBefore = before === undefined ? undefined : loggedError(before)
  if (error?._tag === errorBefore?._tag) return []
  return [error === undefined ? `${after.symbol}: prices again` : `${after.symbol}: ${renderError(error)}`]
}

/** Leaves out `Disconnected`, which every token has, because the connection has a line of its own. */
const loggedError = ({ priceError }: TokenRow) =>
  priceError?._tag === 'Disconnected' ? undefined : priceError
