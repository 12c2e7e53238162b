import { connect, endWith, ignoreElements, merge, takeUntil, type Observable } from 'rxjs'
import type { Address } from '../../domain/address.js'
import { defaultService } from '../../domain/topic.js'
import type { Row } from '../../recording/format/row.js'
import { depthRow$, priceRow$, statusRow$, uncorrelatedRow$ } from '../../recording/record/client-rows.js'
import type { Deployment } from '../input/deployment.js'

/** All events of the tokens and of the connection. Completes when the price streams of all tokens have completed. */
export const watchRows$ = (
  { client, depthClient }: Pick<Deployment, 'client' | 'depthClient'>,
  tokens: readonly Address[],
  interval: number,
): Observable<Row> => {
  const prices$ = merge(...tokens.map((token) => priceRow$(client, `${defaultService}-${token}`)))
  const others$ = merge(
    statusRow$(client),
    uncorrelatedRow$(client),
    ...(depthClient === undefined ? [] : tokens.map((mint) => depthRow$(depthClient, mint, interval))),
  )
  const untilEndOf = (rows$: Observable<Row>) => takeUntil<Row>(rows$.pipe(ignoreElements(), endWith(null)))
  return prices$.pipe(connect((rows$) => merge(rows$, others$.pipe(untilEndOf(rows$)))))
}
