import { distinctUntilChanged, map, type Observable } from 'rxjs'
import { isLeft, type Address, type Topic } from 'svc-streams'
import { combineFresh } from 'svc-streams/operators'
import type { MarketClient } from 'svc-streams/paper'

/** The token: WETH. */
export const mint: Address = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
export const topic: Topic = `svc-${mint}`

/** In USD. */
const limit = 2683

/** In base-token units: one WETH. */
const oneToken = 10n ** 18n

/** Buys below the limit if more than one token can be bought. Waits while the price or the depth is not fresh. */
export const advice$ = (client: MarketClient): Observable<'buy' | 'wait'> =>
  combineFresh(
    { price: client.price$(topic), depth: client.depth$(mint, 500) },
    // A Left while a leg is missing or failed, or the depth is older than 2 s. A price is current until its Left.
    { maxAge: { depth: 2_000 } },
  ).pipe(
    map((event) => {
      if (isLeft(event)) return 'wait'
      const { price, depth } = event.right
      return price.price < limit && depth.buy.totalQuantity > oneToken ? 'buy' : 'wait'
    }),
    distinctUntilChanged(),
  )
