import fc from 'fast-check'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import { defineTokens, type Depth, type DepthError, type Price, type PriceError } from 'svc-streams'
import {
  cancel,
  closePosition,
  limit,
  market,
  stop,
  target,
  trailingStop,
  type Order,
  type OrderOptions,
  type TradeOrder,
} from 'svc-streams/paper'
import { createTestClient, depth, httpError, price, stale } from 'svc-streams/testing'
import { vi } from 'vitest'
import type { Input } from './model.js'

// Random orders, and a market with faults.

export const tokens = defineTokens({
  A: { address: '0xaa', decimals: 18 },
  B: { address: '0xbb', decimals: 2 },
})
const symbol = fc.constantFrom<(keyof typeof tokens)[]>('A', 'B')
const side = fc.constantFrom('buy' as const, 'sell' as const)

/** An input, and the time that passes before it, in ms. */
interface Step {
  readonly after: number
  readonly inputAt: (now: number) => Input
}

const step = (inputAt: fc.Arbitrary<Step['inputAt']>): fc.Arbitrary<Step> =>
  fc.record({ after: fc.constantFrom(0, 1, 10, 60, 400), inputAt })

const usdPrice = fc.constantFrom(1, 2.5, 2.51, 2.49, 2.4750001, 99.99, 1e-7)

const prices = step(
  fc.tuple(symbol, usdPrice, fc.constantFrom(0, 0, 0, 30)).map(([name, usd, earlier]) => (now): Input => {
    const event = right(price(tokens[name].topic, usd, { receivedAt: now - earlier }))
    return { _tag: 'Price', symbol: name, event }
  }),
)
/** In units of both tokens: from a hundredth of B to a hundred A. */
const units = fc.oneof(fc.bigInt({ min: 1n, max: 1_000n }), fc.bigInt({ min: 1n, max: 10n ** 20n }))
const depthSide = fc
  .oneof(fc.constant(0n), units)
  .map((totalQuantity) => ({ totalQuantity, totalQuantityUsd: 1 }))
const depths = step(
  fc
    .tuple(symbol, depthSide, depthSide, fc.constantFrom(undefined, 1, 2))
    .map(([name, buy, sell, time]) => (now): Input => {
      const timestamp = time ?? now
      const event = right(depth(tokens[name].address, { buy, sell, timestamp, receivedAt: now }))
      return { _tag: 'Depth', symbol: name, event }
    }),
)
const failures = step(
  fc.tuple(symbol, fc.boolean()).map(([name, ofPrice]) => (): Input => {
    if (ofPrice) return { _tag: 'Price', symbol: name, event: left(stale(tokens[name].topic, 1, undefined)) }
    return { _tag: 'Depth', symbol: name, event: left(httpError(500, '', undefined)) }
  }),
)

const size = fc.oneof(
  units.map((quantity) => ({ units: quantity })),
  fc.constantFrom(1e-3, 1, 500.25, 1e5).map((usd) => ({ usd })),
)
const targetSize = fc.oneof(
  fc.bigInt({ min: -300n, max: 300n }).map((quantity) => ({ units: quantity })),
  fc.constantFrom(-100, 0, 0.5, 77.7).map((usd) => ({ usd })),
)
const id = fc.constantFrom(undefined, undefined, undefined, 'x', '2')
const orderOptions: fc.Arbitrary<OrderOptions> = fc
  .tuple(id, fc.constantFrom(undefined, undefined, 'cancel' as const, 'work' as const))
  .map(([name, rest]) => ({ ...(name && { id: name }), ...(rest && { rest }) }))

const tradeOrder: fc.Arbitrary<TradeOrder> = fc.oneof(
  fc.tuple(symbol, side, size, orderOptions).map((args) => market(...args)),
  fc.tuple(symbol, side, size, usdPrice, orderOptions).map((args) => limit(...args)),
  fc.tuple(symbol, side, size, usdPrice, orderOptions).map((args) => stop(...args)),
  fc
    .tuple(symbol, side, size, fc.constantFrom(10, 40, 100.5), orderOptions)
    .map(([name, way, amount, bps, options]) => trailingStop(name, way, amount, { bps }, options)),
  fc.tuple(symbol, targetSize).map((args) => target(...args)),
  symbol.map(closePosition),
)
const order: fc.Arbitrary<Order> = fc.oneof(
  { weight: 8, arbitrary: tradeOrder },
  { weight: 1, arbitrary: fc.constantFrom('1', '2', '3', 'x').map(cancel) },
)
const orders = step(order.map((each) => (now): Input => ({ _tag: 'Order', order: each, decidedAt: now })))

export const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: prices },
    { weight: 3, arbitrary: depths },
    { weight: 1, arbitrary: failures },
    { weight: 3, arbitrary: orders },
  ),
  { minLength: 1, maxLength: 100, size: 'max' },
)

export const options = fc.record({
  allowShort: fc.boolean(),
  maxLeverage: fc.constantFrom(0.5, 1, 20),
  latency: fc.constantFrom(0, 1, 50),
  feeBps: fc.constantFrom(0, 12.5),
  slippageBps: fc.constantFrom(0, 1.25),
  depthShareBps: fc.constantFrom(2_500, 10_000),
  maxDepthAge: fc.constantFrom(70, 5_000),
  sampleMs: fc.constantFrom(1, 200, 1_000),
  cash: fc.constantFrom(0, 1_000, 1e6),
  depthInterval: fc.constant(500),
})
export type Options = typeof options extends fc.Arbitrary<infer O> ? O : never

export const timed = (all: readonly Step[]): readonly Input[] => {
  let now = 1_000_000
  return all.map(({ after, inputAt }) => inputAt((now += after)))
}

/** A client whose events are given, and a strategy whose orders are given. */
export const givenMarket = () => {
  const prices = { A: new Subject<Either<PriceError, Price>>(), B: new Subject<Either<PriceError, Price>>() }
  const depths = { A: new Subject<Either<DepthError, Depth>>(), B: new Subject<Either<DepthError, Depth>>() }
  const orders = new Subject<Order>()
  const client = createTestClient({
    prices: { [tokens.A.topic]: prices.A, [tokens.B.topic]: prices.B },
    depths: { [tokens.A.address]: depths.A, [tokens.B.address]: depths.B },
  })
  const give = (input: Input): void => {
    if (input._tag === 'Order') {
      // The strategy's clock.
      const clock = vi.spyOn(Date, 'now').mockReturnValue(input.decidedAt)
      orders.next(input.order)
      clock.mockRestore()
    }
    if (input._tag === 'Price') prices[input.symbol as 'A' | 'B'].next(input.event)
    if (input._tag === 'Depth') depths[input.symbol as 'A' | 'B'].next(input.event)
  }
  return { client, order$: orders.asObservable(), give }
}
