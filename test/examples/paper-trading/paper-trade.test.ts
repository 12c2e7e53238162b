import { left } from 'fp-ts/lib/Either.js'
import { filter, map, mergeMap, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { createTestClient, depth, httpError, price, stale } from 'svc-streams/testing'
import { describe, it } from 'vitest'
import type { PaperEvent } from '../../../examples/paper-trading/broker.js'
import type { MarketClient } from '../../../examples/paper-trading/market.js'
import { formatMoney, formatPrice } from '../../../examples/paper-trading/money.js'
import { buy, sell, type Order } from '../../../examples/paper-trading/order.js'
import { paperTrade$ } from '../../../examples/paper-trading/paper-trade.js'
import type { PaperOptions } from '../../../examples/paper-trading/settings.js'
import { marbles } from '../../support/time/marbles.js'

const { X } = defineTokens({ X: { address: '0xab', decimals: 2 } })

const usd = (amount: number) => price(X.topic, amount)
const book = (units: bigint, timestamp: number) => {
  const side = { totalQuantity: units, totalQuantityUsd: 1 }
  return depth(X.address, { buy: side, sell: side, timestamp })
}

/** A price of 10 USD and so on; `b` and `s` make the strategy buy and sell 3.00 tokens. */
const events = {
  p: usd(10),
  b: usd(11),
  s: usd(12),
  q: usd(20),
  S: left(stale(X.topic, 1_000, undefined)),
}
/** 4.00, 1.00 and no tokens on each side; `D` is the same book as `d`. */
const books = {
  d: book(400n, 1),
  D: book(400n, 1),
  e: book(100n, 2),
  z: book(0n, 3),
  E: left(httpError(503, '', undefined)),
}

const strategy$ = (client: MarketClient): Observable<Order> =>
  client.price$(X.topic).pipe(
    rights(),
    mergeMap((each) => {
      if (each.price === 11) return [buy('X', { units: 300n })]
      return each.price === 12 ? [sell('X', { units: 300n })] : []
    }),
  )

const textOf = (event: PaperEvent): string => {
  if (event._tag === 'Rejected') return event.reason
  if (event._tag !== 'Filled') return event._tag
  const { side, quantity, price: at } = event.trade
  return `${side} ${quantity} of ${event.ordered} at ${formatPrice(at)}`
}

interface Scenario {
  readonly prices: string
  readonly depths: string
  readonly expected: string
  readonly options?: Partial<PaperOptions>
}

const expectResults = ({ prices, depths, expected, options = {} }: Scenario, texts: object): void =>
  marbles(({ hot$, expectObservable }) => {
    const client = createTestClient({
      prices: { [X.topic]: hot$(prices, events) },
      depths: { [X.address]: hot$(depths, books) },
      stamp: true,
    })
    const account = { tokens: [X], cash: 1_000, feeBps: 0, latency: 3, depthShareBps: 10_000, ...options }
    const result$ = paperTrade$(client, strategy$, account).pipe(
      filter(({ _tag }) => _tag === 'Filled' || _tag === 'Rejected'),
      map(textOf),
    )
    expectObservable(result$).toBe(expected, texts)
  })

describe('paperTrade$', () => {
  it('fills with the first price that was received after the latency', () => {
    expectResults(
      { prices: '-p-b-pq-q-|', depths: 'd---------|', expected: '------f---|' },
      { f: 'buy 300 of 300 at 20.00' },
    )
  })

  it('fills with the price of the decision if there is no latency', () => {
    expectResults(
      { prices: '-p-b-q-|', depths: 'd------|', expected: '---f---|', options: { latency: 0 } },
      { f: 'buy 300 of 300 at 11.00' },
    )
  })

  it('fills what the depth has, cancels the rest, and takes no quantity of one book twice', () => {
    const latency = { options: { latency: 1 } }
    expectResults(
      { prices: '-bpbp--bp--bp|', depths: 'd----ED--e---|', expected: '--f-g---h---i|', ...latency },
      {
        f: 'buy 300 of 300 at 10.00',
        g: 'buy 100 of 300 at 10.00',
        h: 'the depth has no quantity to buy',
        i: 'buy 100 of 300 at 10.00',
      },
    )
  })

  it('takes only its share of a depth', () => {
    expectResults(
      { prices: '-b--p|', depths: 'd----|', expected: '----f|', options: { depthShareBps: 2_500 } },
      { f: 'buy 100 of 300 at 10.00' },
    )
  })

  it.each([
    ['price', '-p-b-S--p|', 'd--------|', 'Stale: '],
    ['depth', '-p-b----p|', 'd----E---|', 'HttpError: '],
  ])('rejects an order when its %s is lost before the fill', (_, prices, depths, tag) => {
    marbles(({ hot$, expectObservable }) => {
      const client = createTestClient({
        prices: { [X.topic]: hot$(prices, events) },
        depths: { [X.address]: hot$(depths, books) },
        stamp: true,
      })
      const result$ = paperTrade$(client, strategy$, { tokens: [X], cash: 1_000, latency: 3 }).pipe(
        filter(({ _tag }) => _tag === 'Filled' || _tag === 'Rejected'),
        map((event) => textOf(event).startsWith(tag)),
      )
      expectObservable(result$).toBe('-----r---|', { r: true })
    })
  })

  it('rejects an order without a depth, and with a depth that is too old', () => {
    expectResults({ prices: '-b----|', depths: '--d---|', expected: '-r----|' }, { r: 'no depth yet' })
    expectResults(
      { prices: '-b--p-|', depths: 'd-----|', expected: '----r-|', options: { maxDepthAge: 3 } },
      { r: 'the depth is 4 ms older than the price' },
    )
  })

  it('rejects a purchase that the cash does not pay, with its fee', () => {
    expectResults(
      { prices: '-b--p|', depths: 'd----|', expected: '----r|', options: { cash: 30, feeBps: 1 } },
      { r: '30.00 USD to pay, 30.00 USD in cash' },
    )
    expectResults(
      { prices: '-b--p|', depths: 'd----|', expected: '----f|', options: { cash: 30 } },
      { f: 'buy 300 of 300 at 10.00' },
    )
  })

  it('sells what it holds, and more only if short positions are allowed', () => {
    const prices = '-s--pb--ps--p|'
    expectResults(
      { prices, depths: 'd----e----d--|', expected: '----r---b---s|' },
      { r: 'there is no position to sell', b: 'buy 100 of 300 at 10.00', s: 'sell 100 of 300 at 10.00' },
    )
    expectResults(
      { prices: '-s--p|', depths: 'd----|', expected: '----s|', options: { allowShort: true } },
      { s: 'sell 300 of 300 at 10.00' },
    )
  })

  it('rejects an order that waits when the data end', () => {
    expectResults(
      { prices: '-b--|', depths: 'd----|', expected: '-----(r|)' },
      { r: 'the data ended before the fill' },
    )
  })

  it('emits the equity at each interval, after each fill, and when a price is lost, and the account at the end', () => {
    marbles(({ hot$, expectObservable }) => {
      const client = createTestClient({
        prices: { [X.topic]: hot$('-b--p---q-S-q|', events) },
        depths: { [X.address]: hot$('d------------|', books) },
        stamp: true,
      })
      const account = { tokens: [X], cash: 100, feeBps: 0, latency: 3, depthShareBps: 10_000, sampleEvery: 5 }
      const point$ = paperTrade$(client, strategy$, account).pipe(
        filter((event) => event._tag === 'Equity' || event._tag === 'Account'),
        map((event) => {
          if (event._tag === 'Account') return `unrealised ${formatMoney(event.unrealised)}`
          return `${event.at} ${formatMoney(event.equity)}${event.isCurrent ? '' : ' not current'}`
        }),
      )
      expectObservable(point$).toBe('-a--b-----c-d(ef|)', {
        a: '1 100.00',
        b: '4 100.00',
        c: '8 130.00 not current',
        d: '12 130.00',
        e: '12 130.00',
        f: 'unrealised 30.00',
      })
    })
  })
})
