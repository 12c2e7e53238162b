// score.ts
import { map, toArray, type Observable } from 'rxjs'
import { paper, summaryOf, type MarketClient, type Summary } from 'svc-streams/paper'
import strategy, { options } from './reversion.js'

/** The figures of one parameter, for `sweep`. */
export default (client: MarketClient, parameter: Parameters<typeof strategy>[2]): Observable<Summary> =>
  paper(client, (own, account) => strategy(own, account, parameter), options).pipe(
    toArray(),
    map((events) => summaryOf(events)),
  )
