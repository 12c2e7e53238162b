// score.ts
import type { Observable } from 'rxjs'
import { paper, type MarketClient, type PaperEvent } from 'svc-streams/paper'
import strategy, { options } from './reversion.js'

/** The account of one parameter, for `sweep`, which shows its figures. */
export default (client: MarketClient, parameter: Parameters<typeof strategy>[2]): Observable<PaperEvent> =>
  paper(client, (own, account) => strategy(own, account, parameter), options)
