import { right, type Either } from 'fp-ts/lib/Either.js'
import { map, Subject, take } from 'rxjs'
import { defineTokens, type Depth, type DepthError, type Price, type PriceError } from 'svc-streams'
import {
  cancel,
  closePosition,
  limit,
  market,
  paper,
  stop,
  target,
  trailingStop,
  type Order,
  type PaperEvent,
} from 'svc-streams/paper'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { account, expectResults } from './support/scenario.js'

const X = (units: bigint) => ({ units })

describe('a market order', () => {
  it('is filled with the first price that was received after the latency', () => {
    expectResults({
      prices: '  -1---01',
      expected: '-----f',
      at: { 1: [market('X', 'buy', X(300n))] },
      options: { latency: 3 },
      texts: { f: 'buy 300 X at 10 (#1)' },
    })
  })

  it('is filled at once by the price of its decision if there is no latency', () => {
    expectResults({
      prices: '  -1',
      expected: '-f',
      at: { 1: [market('X', 'sell', { usd: 25 })] },
      options: { allowShort: true },
      texts: { f: 'sell 227 X at 11 (#1)' },
    })
  })

  it('pays the slippage', () => {
    expectResults({
      prices: '  -0',
      expected: '-f',
      at: { 0: [market('X', 'buy', X(1n))] },
      options: { slippageBps: 2 },
      texts: { f: 'buy 1 X at 10.002 (#1)' },
    })
  })

  it('fills what the depth has, cancels the rest, and takes no quantity of one depth twice', () => {
    const at = { 1: [market('X', 'buy', X(300n))] }
    expectResults({
      prices: '  -1-1---1----1',
      depths: '  d----D----e',
      expected: '-f-(gc)r----(hi)',
      at,
      texts: {
        f: 'buy 300 X at 11 (#1)',
        g: 'buy 100 X at 11 (#2), 200 left',
        c: 'cancelled #2, 200 left',
        r: 'rejected #3: the depth has no quantity to buy',
        h: 'buy 100 X at 11 (#4), 200 left',
        i: 'cancelled #4, 200 left',
      },
    })
  })

  it('takes only its share of a depth', () => {
    const options = { depthShareBps: 2_500 }
    expectResults({
      prices: '  -1',
      expected: '-(fc)',
      at: { 1: [market('X', 'buy', X(300n))] },
      options,
      texts: { f: 'buy 100 X at 11 (#1), 200 left', c: 'cancelled #1, 200 left' },
    })
  })

  it('is rejected at once when its price is lost, and when it is due while the depth is lost', () => {
    const scenario = { at: { 1: [market('X', 'buy', X(1n))] }, options: { latency: 4 } }
    expectResults({
      ...scenario,
      prices: '  -1-S--0',
      expected: '---r',
      texts: { r: 'rejected #1: Stale: svc-0xab: no price for 1000 ms; none on this connection yet' },
    })
    expectResults({
      ...scenario,
      prices: '  -1----0',
      depths: '  d-E',
      expected: '------r',
      texts: { r: 'rejected #1: HttpError: status 503' },
    })
  })

  it('waits for price and depth if it works', () => {
    const at = { 1: [market('X', 'buy', X(150n), { rest: 'work', id: 'w' })] }
    expectResults({
      prices: '  -1-S-2----',
      depths: '  d-E---e---d',
      expected: '------f---g',
      options: { latency: 1 },
      at,
      texts: { f: 'buy 100 X at 12 (#w), 50 left', g: 'buy 50 X at 12 (#w)' },
    })
  })

  it('is rejected if it costs more than the equity, and if there is no position to sell', () => {
    expectResults({
      prices: '  -1---2',
      expected: '-(rs)(fgc)',
      options: { cash: 33, maxLeverage: 1 },
      at: {
        1: [market('X', 'buy', X(301n)), market('X', 'sell', X(1n))],
        2: [market('X', 'buy', X(275n)), market('X', 'sell', X(400n))],
      },
      texts: {
        r: 'rejected #1: the positions would exceed the equity times maxLeverage, 1',
        s: 'rejected #2: there is no position of X to sell',
        f: 'buy 275 X at 12 (#3)',
        g: 'sell 275 X at 12 (#4), 125 left',
        c: 'cancelled #4, 125 left',
      },
    })
  })
})

describe('a limit', () => {
  it('that rests fills at its own price, never better, while the price with slippage is not worse, as often as needed', () => {
    const at = { 5: [limit('X', 'buy', X(450n), 12)] }
    expectResults({
      prices: '  -5-2-1----2',
      depths: '  d------e',
      expected: '-----f-g',
      options: { slippageBps: 1 },
      at,
      texts: { f: 'buy 400 X at 12 (#1), 50 left', g: 'buy 50 X at 12 (#1)' },
    })
    const sell = { 5: [market('X', 'buy', X(100n)), limit('X', 'sell', X(100n), 17)] }
    expectResults({
      prices: '  -5-6-9',
      expected: '-f---g',
      at: sell,
      texts: { f: 'buy 100 X at 15 (#1)', g: 'sell 100 X at 17 (#2)' },
    })
  })

  it('that the first price after the latency satisfies pays that price; a rest fills at its own price', () => {
    const at = { 9: [limit('X', 'buy', X(450n), 15)] }
    expectResults({
      prices: '  -9--1-2',
      depths: '  d----e',
      expected: '----fg',
      options: { latency: 3 },
      at,
      texts: { f: 'buy 400 X at 11 (#1), 50 left', g: 'buy 50 X at 15 (#1)' },
    })
    // The depth came after the first price.
    expectResults({
      prices: '  -9--1-2',
      depths: '  -----e',
      expected: '-----f',
      options: { latency: 3 },
      at,
      texts: { f: 'buy 100 X at 15 (#1), 350 left' },
    })
  })

  it('ends after its first fill with `rest: cancel`', () => {
    const at = { 5: [limit('X', 'buy', X(450n), 12, { rest: 'cancel' })] }
    expectResults({
      prices: '  -5-2',
      expected: '---(fc)',
      at,
      texts: { f: 'buy 400 X at 12 (#1), 50 left', c: 'cancelled #1, 50 left' },
    })
  })
})

describe('a stop', () => {
  const at = { 5: [stop('X', 'sell', X(100n), 14)], 6: [market('X', 'buy', X(100n))] }

  it('sells after a price at or below its own, with that price or a later one', () => {
    expectResults({
      prices: '  -6-5-7-3',
      expected: '-f-----g',
      at,
      texts: { f: 'buy 100 X at 16 (#1)', g: 'sell 100 X at 13 (#2)' },
    })
    expectResults({
      prices: '  -6-5-7-4--9',
      depths: '  d----E--d',
      expected: '-f------g',
      at,
      texts: { f: 'buy 100 X at 16 (#1)', g: 'sell 100 X at 14 (#2)' },
    })
  })

  it('is not triggered by a price from before the latency', () => {
    expectResults({
      prices: '  -6---54---9--3--2',
      expected: '-----f----------g',
      at,
      options: { latency: 3 },
      texts: { f: 'buy 100 X at 15 (#1)', g: 'sell 100 X at 12 (#2)' },
    })
  })
})

describe('the latency of a stop', () => {
  it('counts from its trigger, not from its decision', () => {
    const at = { 6: [market('X', 'buy', X(100n))], 5: [stop('X', 'sell', X(100n), 14)] }
    expectResults({
      prices: '  -6-----5----4-30',
      expected: '-------f-------g',
      at,
      options: { latency: 3 },
      texts: { f: 'buy 100 X at 15 (#1)', g: 'sell 100 X at 10 (#2)' },
    })
    const trailing = { 9: [market('X', 'buy', X(100n)), trailingStop('X', 'sell', X(100n), { bps: 1_000 })] }
    expectResults({
      prices: '  -9--8--764',
      expected: '----f----g',
      at: trailing,
      options: { latency: 2 },
      texts: { f: 'buy 100 X at 18 (#1)', g: 'sell 100 X at 14 (#2)' },
    })
  })
})

describe('maxLeverage', () => {
  const limited = 'the positions would exceed the equity times maxLeverage, 1'
  const short = { cash: 30, allowShort: true, maxLeverage: 1 }

  it('bounds the positions by the equity, and lets what reduces a position always fill', () => {
    const at = {
      0: [market('X', 'sell', X(301n)), market('X', 'sell', X(300n))],
      // The equity is 15 USD now, and the position 45.
      5: [market('X', 'sell', X(1n)), closePosition('X')],
    }
    expectResults({
      prices: '  -0-----5',
      expected: '-(qf)--(rg)',
      at,
      options: short,
      texts: {
        q: `rejected #1: ${limited}`,
        f: 'sell 300 X at 10 (#2)',
        r: `rejected #3: ${limited}`,
        g: 'buy 300 X at 15 (#4)',
      },
    })
  })
})

describe('an equity of 0 or less', () => {
  it('cancels the open orders, closes all positions with the next prices, and rejects later orders', () => {
    const at = {
      0: [market('X', 'sell', X(200n)), market('Y', 'buy', X(1n)), limit('X', 'buy', X(1n), 1)],
      9: [market('X', 'buy', X(1n))],
      5: [cancel('3')],
    }
    // 15 USD, short 2 X at 10, 1 Y at 11: -3 USD when X is at 19.
    const options = { cash: 15, allowShort: true, maxLeverage: 10 }
    expectResults({
      prices: '     -0-----9--------5',
      otherPrices: '--1-----------2',
      expected: '   -fg----(lcr)--h-(is)',
      at,
      options,
      texts: {
        f: 'sell 200 X at 10 (#1)',
        g: 'buy 1 Y at 11 (#2)',
        l: 'liquidated at -3',
        c: 'cancelled #3, 1 left',
        r: 'rejected #6: the account is liquidated',
        h: 'sell 1 Y at 12 (#5)',
        i: 'buy 200 X at 15 (#4)',
        s: 'rejected #3: the account is liquidated',
      },
    })
  })
})

describe('a trailing stop', () => {
  it('sells when a price is so far off the highest price since its decision', () => {
    const at = { 0: [market('X', 'buy', X(100n)), trailingStop('X', 'sell', X(100n), { bps: 1_000 })] }
    expectResults({
      prices: '  -0-5-9-8-7',
      expected: '-f-------g',
      at,
      texts: { f: 'buy 100 X at 10 (#1)', g: 'sell 100 X at 17 (#2)' },
    })
  })

  it('buys when a price is so far off the lowest price since its decision', () => {
    const at = { 9: [trailingStop('X', 'buy', X(100n), { bps: 1_000 })] }
    expectResults({
      prices: '  -9-0-S-1',
      expected: '-------f',
      at,
      texts: { f: 'buy 100 X at 11 (#1)' },
    })
  })
})

describe('a target', () => {
  it('buys or sells what the position lacks when it is filled, and does nothing otherwise', () => {
    const at = {
      1: [target('X', X(250n)), target('X', X(250n))],
      2: [target('X', { usd: 12 })],
      3: [closePosition('X')],
    }
    expectResults({
      prices: '  -1-2-3-3',
      expected: '-f-g-h',
      at,
      texts: { f: 'buy 250 X at 11 (#1)', g: 'sell 150 X at 12 (#3)', h: 'sell 100 X at 13 (#4)' },
    })
  })

  it('goes short by a negative size', () => {
    const at = { 1: [target('X', { usd: -22 })], 2: [closePosition('X')] }
    expectResults({
      prices: '  -1-2',
      expected: '-f-g',
      at,
      options: { allowShort: true },
      texts: { f: 'sell 200 X at 11 (#1)', g: 'buy 200 X at 12 (#2)' },
    })
  })
})

describe('a size', () => {
  it('may have the other unit as undefined, as plain JavaScript writes it', () => {
    const size = { units: undefined, usd: 22 } as unknown as { readonly usd: number }
    expectResults({
      prices: '  -1-2',
      expected: '-b-s',
      at: { 1: [target('X', size)], 2: [market('X', 'sell', { ...X(100n), usd: undefined })] },
      texts: { b: 'buy 200 X at 11 (#1)', s: 'sell 100 X at 12 (#2)' },
    })
  })
})

/** The events of an order that the first of the prices decides. `units`: of both sides of the depth. */
const eventsOf = (
  order: Order,
  prices: readonly number[],
  units = 10n ** 400n,
  slippageBps = 0,
): readonly PaperEvent[] => {
  const wrapped = defineTokens({ W: { address: '0xab', decimals: 18 } })
  const { topic, address } = wrapped.W
  const side = { totalQuantity: units, totalQuantityUsd: 1 }
  const price$ = new Subject<Either<PriceError, Price>>()
  const depth$ = new Subject<Either<DepthError, Depth>>()
  const client = createTestClient({ prices: { [topic]: price$ }, depths: { [address]: depth$ } })
  const events: PaperEvent[] = []
  const strategy$ = ({ price$: of$ }: typeof client) =>
    of$(topic).pipe(
      take(1),
      map(() => order),
    )
  const options = { ...account, tokens: wrapped, cash: 1e6, allowShort: true, slippageBps }
  paper(client, strategy$, options).subscribe((event) => events.push(event))
  depth$.next(right(depth(address, { buy: side, sell: side })))
  for (const each of prices) price$.next(right(price(topic, each)))
  return events
}

it('takes what the depth has for an amount that is more than any number of tokens', () => {
  const events = eventsOf(market('W', 'buy', { usd: 1e15 }), [1e-300], 400n)
  expect(events).toContainEqual(expect.objectContaining({ _tag: 'Filled', quantity: 400n }))
})

it('rejects an order in USD at a price that is, with slippage, more than a double can be', () => {
  const events = eventsOf(market('W', 'buy', { usd: 1 }), [1.7e308], 400n, 1_000)
  expect(events).toContainEqual(expect.objectContaining({ _tag: 'Rejected' }))
})

it.each([
  [100, 3, 33_333_333_333_333_333_333n],
  [100, 0.1, 1_000n * 10n ** 18n],
  [2_000, 2683.5, 745_295_323_271_846_469n],
])('takes the units that %d USD pay for at %d, rounded down', (usd, at, quantity) => {
  const events = eventsOf(market('W', 'buy', { usd }), [at])
  expect(events).toContainEqual(expect.objectContaining({ _tag: 'Filled', quantity }))
})

it.each([
  ['buy', 100, 1000, 110],
  ['sell', 100, 5600, 44],
  ['buy', 3, 100, 3.03],
] as const)('triggers a trailing stop that may %s at %d by exactly %d bps', (side, best, bps, at) => {
  const events = eventsOf(trailingStop('W', side, { units: 1n }, { bps }), [best, at, at])
  expect(events).toContainEqual(expect.objectContaining({ _tag: 'Filled', side }))
})

describe('cancel', () => {
  it('ends an order, and is rejected without one', () => {
    const far = (id?: string) => limit('X', 'buy', X(100n), 1, id === undefined ? {} : { id })
    const at = { 1: [far(), far('a')], 2: [cancel('1'), cancel('a'), cancel('a')] }
    expectResults({
      prices: '  -1-2',
      expected: '---(cde)',
      at,
      texts: {
        c: 'cancelled #1, 100 left',
        d: 'cancelled #a, 100 left',
        e: 'rejected #a: no order with this id is open: a',
      },
    })
  })
})

describe('an order that is not valid', () => {
  it.each<[unknown, string]>([
    [market('Z', 'buy', X(1n)), "symbol: expected 'X' or 'Y', got \"Z\""],
    [market('X', 'buy', X(0n)), 'size: expected { units } as a bigint or { usd }, above 0, got 0n'],
    [market('X', 'buy', { usd: NaN }), 'size: expected { units } as a bigint or { usd }, above 0, got NaN'],
    [limit('X', 'buy', X(1n), 0), 'price: expected a price above 0, got 0'],
    [stop('X', 'buy', X(1n), -1), 'price: expected a price above 0, got -1'],
    [
      trailingStop('X', 'buy', X(1n), { bps: 0 }),
      'bps: expected basis points above 0 and below 10000, got 0',
    ],
    [market('X', 'up' as 'buy', X(1n)), "side: expected 'buy' or 'sell', got \"up\""],
    [{ _tag: 'Together', orders: [] }, 'expected an order, got "Together"'],
    [null, 'expected an order, got null'],
    [7, 'expected an order, got 7'],
  ])('is rejected, and hurts no other: %o', (order, reason) => {
    expectResults({
      prices: '  -1',
      expected: '-(rf)',
      at: { 1: [order as Order, market('X', 'buy', X(1n))] },
      texts: { r: `rejected #1: ${reason}`, f: 'buy 1 X at 11 (#2)' },
    })
  })

  it('is rejected if an open order has its id', () => {
    const order = limit('X', 'buy', X(1n), 1, { id: 'a' })
    expectResults({
      prices: '  -1',
      expected: '-r',
      at: { 1: [order, order] },
      texts: { r: 'rejected #a: id: a is the id of an open order' },
    })
  })
})
