import { left } from 'fp-ts/lib/Either.js'
import { filter, map, mergeMap } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { paper, type Order, type PaperEvent, type PaperOptions } from 'svc-streams/paper'
import { createTestClient, depth, httpError, price, stale } from 'svc-streams/testing'
import { marbles } from '../../../support/time/marbles.js'

export const tokens = defineTokens({
  X: { address: '0xab', decimals: 2 },
  Y: { address: '0xcd', decimals: 0 },
})

const book = (mint: `0x${string}`, units: bigint, timestamp: number) => {
  const side = { totalQuantity: units, totalQuantityUsd: 1 }
  return depth(mint, { buy: side, sell: side, timestamp })
}

/** Letters of a marble: `0` to `9` are prices of 10 to 19 USD, `S` and `E` are errors. */
const pricesOf = (topic: `${string}-0x${string}`) => ({
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [digit, price(topic, 10 + digit)])),
  S: left(stale(topic, 1_000, undefined)),
})

/** `d`, `D`: one depth of 400 units, `e`: 100 units, `z`: none. */
const depthsOf = (mint: `0x${string}`) => ({
  d: book(mint, 400n, 1),
  D: book(mint, 400n, 1),
  e: book(mint, 100n, 2),
  z: book(mint, 0n, 3),
  E: left(httpError(503, '', undefined)),
})

export interface Scenario {
  readonly prices: string
  readonly depths?: string
  /** Of Y. */
  readonly otherPrices?: string
  /** The orders that the strategy decides at a price of X, by the digit of the price. */
  readonly at: Readonly<Record<string, readonly Order[]>>
  readonly options?: Partial<PaperOptions>
}

/** A client in marbles. Both tokens have the same depths. */
export const marbleClient = (
  hot$: Parameters<Parameters<typeof marbles>[0]>[0]['hot$'],
  { prices, otherPrices = '', depths = 'd' }: Pick<Scenario, 'prices' | 'depths' | 'otherPrices'>,
) =>
  createTestClient({
    prices: {
      [tokens.X.topic]: hot$(prices, pricesOf(tokens.X.topic)),
      [tokens.Y.topic]: hot$(otherPrices, pricesOf(tokens.Y.topic)),
    },
    depths: {
      [tokens.X.address]: hot$(depths, depthsOf(tokens.X.address)),
      [tokens.Y.address]: hot$(depths, depthsOf(tokens.Y.address)),
    },
    stamp: true,
  })

/** No costs, and no limit that the results of orders depend on. */
export const account = {
  ...{ tokens, cash: 10_000, feeBps: 0, slippageBps: 0, latency: 0 },
  ...{ depthShareBps: 10_000, maxLeverage: 1_000 },
} satisfies PaperOptions

/** The orders of a scenario, as a strategy. */
export const ordersAt =
  (at: Scenario['at']) =>
  ({ price$ }: ReturnType<typeof createTestClient>) =>
    price$(tokens.X.topic).pipe(
      rights(),
      mergeMap((each) => at[String(each.price - 10)] ?? []),
    )

/** `buy 300 X at 11 (#1)` */
export const textOf = (event: PaperEvent): string => {
  if (event._tag === 'Filled') {
    const { side, quantity, symbol, price: paid, id, remaining } = event
    return `${side} ${quantity} ${symbol} at ${paid} (#${id})${remaining === 0n ? '' : `, ${remaining} left`}`
  }
  if (event._tag === 'Rejected') return `rejected #${event.id}: ${event.reason}`
  if (event._tag === 'Cancelled') return `cancelled #${event.id}, ${event.remaining} left`
  if (event._tag === 'Liquidated') return `liquidated at ${event.equityUsd}`
  return event._tag
}

const isResult = ({ _tag }: PaperEvent): boolean =>
  ['Filled', 'Rejected', 'Cancelled', 'Liquidated'].includes(_tag)

/** A scenario and the marbles that it must lead to, whose letters are these texts. */
export interface ExpectedScenario extends Scenario {
  readonly expected: string
  readonly texts: object
}

/** Expects the results of the orders, without `Equity` and `Account`, as marbles. */
export const expectResults = ({ expected, texts, ...scenario }: ExpectedScenario): void =>
  marbles(({ hot$, expectObservable }) => {
    const result$ = paper(marbleClient(hot$, scenario), ordersAt(scenario.at), {
      ...account,
      ...scenario.options,
    }).pipe(filter(isResult), map(textOf))
    expectObservable(result$).toBe(expected, texts)
  })
