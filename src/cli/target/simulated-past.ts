import { right } from 'fp-ts/lib/Either.js'
import { defer, from, map } from 'rxjs'
import type { History } from '../../backtest/history/history.js'
import type { Address } from '../../base/domain/address.js'
import { addressOf } from '../../base/domain/topic.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { walkPrices } from '../../simulator/market/random-walk.js'
import { readRecording } from '../../simulator/market/recorded-market.js'
import { randomTokens, walkSeed, walkTick } from './demonstration.js'

/** A price so many ms before the market begins. */
interface Earlier {
  readonly ago: number
  readonly price: number
}

/** The length of the past, in ms: that of the recording. */
const pastMs = 300_000

/**
 * The five minutes before a simulator begins: the recording backwards, and random prices. They end where the market
 * begins, whenever a page is opened for the first time: the simulator begins then.
 */
export const simulatedHistory = (): History => {
  const earlier = new Map<Address, Earlier[]>()
  for (const { at, quote } of readRecording()) {
    const prices = earlier.get(quote.token) ?? []
    if (prices.length === 0) earlier.set(quote.token, prices)
    prices.push({ ago: at, price: quote.price })
  }
  for (const token of randomTokens) {
    const prices = walkPrices(token, walkSeed + 1, pastMs / walkTick)
    earlier.set(
      token.address,
      prices.map((price, index) => ({ ago: index * walkTick, price })),
    )
  }
  return {
    prices$: (topic, { from: start }) =>
      defer(() => {
        const now = rxClock.wallClock()
        const prices = (earlier.get(addressOf(topic)) ?? []).filter(({ ago }) => now - ago >= start)
        return from(prices.toReversed()).pipe(
          map(({ ago, price }) => right({ _tag: 'PastPrice' as const, topic, price, at: now - ago })),
        )
      }),
    topics: () => () => Promise.resolve(right([])),
  }
}
