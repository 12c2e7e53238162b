import { concat, defer, map, merge, mergeMap, of, scan, takeWhile, type Observable } from 'rxjs'
import { advance, initialState, type BrokerEvent, type PaperEvent } from './broker.js'
import { market$, type MarketClient } from './market.js'
import type { Order } from './order.js'
import { settingsOf, type PaperOptions } from './settings.js'

/**
 * Trades the orders of a strategy on paper, until the streams of the client complete: at `close()` of a live client, at the
 * end of a replay. Emits each fill, each rejection, the equity curve, and the account at the end. Throws a `RangeError` for
 * invalid options.
 */
export const paperTrade$ = <C extends MarketClient>(
  client: C,
  strategy$: (client: C) => Observable<Order>,
  options: PaperOptions,
): Observable<PaperEvent> => {
  const settings = settingsOf(options)
  const event$ = defer(() => {
    const data$ = market$(client, settings.tokens.values(), settings.interval)
    const order$ = strategy$(client).pipe(map((order): BrokerEvent => ({ _tag: 'Order', order })))
    // The account subscribes first: it has received all data that the strategy has when it decides.
    return merge(concat(data$, of<BrokerEvent>({ _tag: 'End' })), order$)
  })
  return event$.pipe(
    takeWhile(({ _tag }) => _tag !== 'End', true),
    scan(advance(settings), initialState(settings)),
    mergeMap(({ emitted }) => emitted),
  )
}
