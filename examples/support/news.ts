import { filter, from, map, merge, mergeMap, pairwise, type Observable } from 'rxjs'
import { renderError, type Client } from 'svc-streams'
import { describeStatus } from './draw.js'
import type { Row } from './row.js'

/** A line for each thing worth telling: the connection comes or goes, a token fails or mends. */
export const news$ = (client: Client, rows$: Observable<readonly Row[]>): Observable<string> => {
  const connection$ = client.status$.pipe(
    filter(({ _tag }) => _tag === 'Open' || _tag === 'Waiting'),
    map(describeStatus),
  )
  const tokens$ = rows$.pipe(
    pairwise(),
    mergeMap(([before, after]) => from(after.flatMap((row, index) => compare(before[index], row)))),
  )
  return merge(connection$, tokens$)
}

const compare = (before: Row | undefined, after: Row): readonly string[] => {
  const problem = worthTelling(after)
  const earlier = before === undefined ? undefined : worthTelling(before)
  if (problem?._tag === earlier?._tag) return []
  return [
    problem === undefined ? `${after.symbol}: prices again` : `${after.symbol}: ${renderError(problem)}`,
  ]
}

/** That the connection is down is told once, not once a token. */
const worthTelling = ({ priceError }: Row) => (priceError?._tag === 'Disconnected' ? undefined : priceError)
