import { isLeft } from 'fp-ts/lib/Either.js'
import { scan, type Observable } from 'rxjs'
import type { StrategyClient } from 'svc-streams/recording'
import { ethTopic } from '../../../support/tokens.js'

/** For each event: the number of prices so far, a value that depends on all of them and their order, and the event. */
export type Decision = readonly [count: number, average: number, event: number | string]

const first: Decision = [0, 0, '']

/** A strategy whose decisions depend on all its data so far. */
export const decision$ = (client: Pick<StrategyClient, 'price$'>): Observable<Decision> =>
  client.price$(ethTopic).pipe(
    scan(([count, average], event): Decision => {
      if (isLeft(event)) return [count, average, event.left._tag]
      const { price } = event.right
      return [count + 1, average * 0.9 + price * 0.1, price]
    }, first),
  )
