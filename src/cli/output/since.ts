import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { filter, from, ignoreElements, map, mergeMap, take, tap, type Observable } from 'rxjs'
import type { History } from '../../backtest/recording/past/history.js'
import { changeOf } from '../../view/card-texts.js'
import { formatTime } from '../../view/texts.js'
import { canonicalAddress, type Address } from '../../base/domain/address.js'
import type { PastPrice } from '../../base/domain/past.js'
import type { Price } from '../../base/domain/price.js'
import type { HistoryError } from '../../base/errors/model.js'
import type { TokenNames } from '../tokens/token-names.js'
import { errorLine } from './error-text.js'

// The change of prices since a time, for `--since`.

/** The prices of a time in the past, read while live prices arrive. */
export interface PastPrices {
  /** In ms since the Unix epoch. */
  readonly from: number
  /** The first price of each token from that time on, by its address in lower case. */
  readonly prices: ReadonlyMap<Address, PastPrice>
}

/** Number of tokens whose history is read at the same time. */
const maxReadings = 4

/**
 * Reads the first price of each token from a time on, and adds it to `prices`. A token that is not in the history has
 * no price. Throws an error with a hint if the history cannot be read. `host`: the host of the gateway.
 */
export const readPastPrices$ = (
  history: History,
  addresses: readonly Address[],
  start: number,
  prices: Map<Address, PastPrice>,
  { names, host }: { readonly names: TokenNames; readonly host: string },
): Observable<never> =>
  from(addresses).pipe(
    mergeMap(
      (address) =>
        history.prices$(names.topic(address), { from: start }).pipe(
          filter((event) => isLeft(event) || event.right._tag === 'PastPrice'),
          take(1),
          map((event) => ({ address, event })),
        ),
      maxReadings,
    ),
    tap(({ address, event }) => {
      if (isRight(event)) prices.set(canonicalAddress(address), event.right as PastPrice)
      else if (event.left._tag !== 'UnknownTopic') throw new Error(failureText(event.left, host))
    }),
    ignoreElements(),
  )

const failureText = (error: HistoryError, host: string): string =>
  error._tag === 'HttpError' && error.status === 404
    ? `--since: the gateway at ${host} has no history\nStart the gateway with --history FOLDER, or remove --since.`
    : `--since: the history of the gateway at ${host} cannot be read\n${errorLine(error)}\nTry again, or remove --since.`

/** The price of a token at the time; `undefined` if the history has none, or has not been read yet. */
export const pastPriceOf = ({ prices }: PastPrices, address: Address): PastPrice | undefined =>
  prices.get(canonicalAddress(address))

/** The change to a price in percent, with a sign: `+0.12 %`. In ASCII, for programs. */
export const changeText = ({ price }: Pick<Price, 'price'>, before: PastPrice): string =>
  changeOf((price / before.price - 1) * 100).text.replace('\u2212', '-')

/** The text after a price in a line: `, +0.12 % since 2026-11-22T10:00:00.123Z`. */
export const sinceText = (price: Price, before: PastPrice): string =>
  `, ${changeText(price, before)} since ${formatTime(before.at)}`
