import fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { defineTokens, type Depth } from 'svc-streams'
import { depth, httpError, price, stale } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import {
  advance,
  initialState,
  type BrokerEvent,
  type PaperEvent,
} from '../../../examples/paper-trading/broker.js'
import { money, shareOf, unitPrice, valueOf } from '../../../examples/paper-trading/money.js'
import type { Filled } from '../../../examples/paper-trading/order.js'
import { settingsOf, type Settings } from '../../../examples/paper-trading/settings.js'

// The rules of the account over random events.

const tokens = defineTokens({ A: { address: '0xaa', decimals: 18 }, B: { address: '0xbb', decimals: 2 } })
type Symbol = keyof typeof tokens
const symbol = fc.constantFrom<Symbol[]>('A', 'B')

/** An event, and the time that passes before it, in ms. */
interface Step {
  readonly after: number
  readonly eventAt: (now: number) => BrokerEvent
}

const step = (eventAt: fc.Arbitrary<Step['eventAt']>): fc.Arbitrary<Step> =>
  fc.record({ after: fc.constantFrom(0, 1, 10, 60), eventAt })

const prices = step(
  fc.tuple(symbol, fc.constantFrom(1, 2.5, 99.99, 1e-7)).map(([name, usd]) => (now) => {
    return { _tag: 'Price', symbol: name, event: right(price(tokens[name].topic, usd, { receivedAt: now })) }
  }),
)
/** In units of both tokens: from a hundredth of B to a hundred A. */
const units = fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: 0n, max: 10n ** 20n }))
const side = units.map((totalQuantity) => ({ totalQuantity, totalQuantityUsd: 1 }))
const depths = step(
  fc.tuple(symbol, side, side, fc.boolean()).map(([name, buy, sell, isNewBook]) => (now) => {
    const timestamp = isNewBook ? now : 0
    const value = depth(tokens[name].address, { buy, sell, timestamp, receivedAt: now })
    return { _tag: 'Depth', symbol: name, event: right(value) }
  }),
)
const failures = step(
  fc.tuple(symbol, fc.boolean()).map(([name, ofPrice]) => () => {
    if (ofPrice) return { _tag: 'Price', symbol: name, event: left(stale(tokens[name].topic, 1, undefined)) }
    return { _tag: 'Depth', symbol: name, event: left(httpError(500, '', undefined)) }
  }),
)
const size = fc.oneof(
  fc.oneof(units, fc.constant(-1n)).map((quantity) => ({ units: quantity })),
  fc.constantFrom(0, 1, 500.25, 1e5).map((usd) => ({ usd })),
)
const orders = step(
  fc
    .record({ symbol: fc.constantFrom('A', 'B', 'C'), side: fc.constantFrom('buy', 'sell'), size })
    .map((order) => () => ({ _tag: 'Order', order })),
)

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: prices },
    { weight: 3, arbitrary: depths },
    { weight: 1, arbitrary: failures },
    { weight: 3, arbitrary: orders },
  ),
  { minLength: 1, maxLength: 100, size: 'max' },
)

const timed = (all: readonly Step[]): readonly BrokerEvent[] => {
  let now = 1_000_000
  const events = all.map(({ after, eventAt }) => eventAt((now += after)))
  return [...events, { _tag: 'End' }]
}

const options = fc.record({
  allowShort: fc.boolean(),
  latency: fc.constantFrom(0, 1, 50),
  feeBps: fc.constantFrom(0, 12.5),
  depthShareBps: fc.constantFrom(2_500, 10_000),
  sampleEvery: fc.constantFrom(0, 20),
  cash: fc.constantFrom(0, 1_000, 1e6),
})
const settings = options.map((each) =>
  settingsOf({ tokens: Object.values(tokens), maxDepthAge: 70, ...each }),
)

/** Each event with what it has caused. */
const run = (
  events: readonly BrokerEvent[],
  of: Settings,
): readonly (readonly [BrokerEvent, readonly PaperEvent[]])[] => {
  let state = initialState(of)
  return events.map((event) => {
    state = advance(of)(state, event)
    return [event, state.emitted] as const
  })
}

const forAll = (check: (events: readonly BrokerEvent[], of: Settings) => void): void => {
  fc.assert(fc.property(steps, settings, (all, of) => check(timed(all), of)))
}

describe('the account', () => {
  it('settles each order once, in the order of its number', () => {
    forAll((events, of) => {
      const results = run(events, of).flatMap(([, emitted]) => emitted.filter((each) => 'order' in each))
      const ordered = events.filter(({ _tag }) => _tag === 'Order').length
      expect(results.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
        Array.from({ length: ordered }, (_, i) => i + 1),
      )
    })
  })

  it('fills only with a current price of at least the time of the decision plus the latency, and a current depth', () => {
    forAll((events, of) => {
      const last = new Map<string, BrokerEvent>()
      for (const [event, emitted] of run(events, of)) {
        if (event._tag === 'Price' || event._tag === 'Depth') last.set(`${event._tag} ${event.symbol}`, event)
        for (const { order, trade, decidedAt } of emitted.filter(isFilled)) {
          const [priced, book] = [last.get(`Price ${order.symbol}`), last.get(`Depth ${order.symbol}`)]
          if (priced?._tag !== 'Price' || book?._tag !== 'Depth') throw new Error('a fill without data')
          if (!isRight(priced.event) || !isRight(book.event)) throw new Error('a fill on a Left')
          expect(priced.event.right.receivedAt).toBeGreaterThanOrEqual(decidedAt + of.latency)
          expect(priced.event.right.receivedAt - book.event.right.receivedAt).toBeLessThanOrEqual(
            of.maxDepthAge,
          )
          expect(trade.price).toBe(unitPrice(priced.event.right.price))
          expect(trade.quantity).toBeGreaterThan(0n)
        }
      }
    })
  })

  it('rejects all orders of a token that wait when its price or its depth is lost', () => {
    forAll((events, of) => {
      const waiting = new Map<number, string>()
      let id = 0
      for (const [event, emitted] of run(events, of)) {
        if (event._tag === 'Order') waiting.set((id += 1), event.order.symbol)
        for (const each of emitted) if ('order' in each) waiting.delete(each.id)
        if ((event._tag === 'Price' || event._tag === 'Depth') && event.event._tag === 'Left')
          expect([...waiting.values()]).not.toContain(event.symbol)
      }
      expect([...waiting]).toEqual([])
    })
  })

  it('fills at most its share of the quantity of one depth', () => {
    forAll((events, of) => {
      const books = new Map<string, { readonly of: Depth; readonly buy: bigint; readonly sell: bigint }>()
      for (const [event, emitted] of run(events, of)) {
        if (event._tag === 'Depth' && isRight(event.event)) {
          const { right: next } = event.event
          const book = books.get(event.symbol)
          const taken = next.timestamp === book?.of.timestamp ? book : { buy: 0n, sell: 0n }
          books.set(event.symbol, { buy: taken.buy, sell: taken.sell, of: next })
        }
        for (const { trade } of emitted.filter(isFilled)) {
          const book = books.get(trade.symbol)!
          const taken = book[trade.side] + trade.quantity
          expect(taken).toBeLessThanOrEqual(shareOf(book.of[trade.side].totalQuantity, of.depthShare))
          books.set(trade.symbol, { ...book, [trade.side]: taken })
        }
      }
    })
  })

  it('has an equity curve that equals its recomputation from the fills', () => {
    forAll((events, of) => {
      const last = new Map<string, number>()
      const held = new Map<string, bigint>()
      let cash = of.cash
      for (const [event, emitted] of run(events, of)) {
        if (event._tag === 'Price' && isRight(event.event)) last.set(event.symbol, event.event.right.price)
        for (const each of emitted) {
          if (each._tag === 'Filled') {
            const { trade } = each
            const change = trade.side === 'buy' ? trade.quantity : -trade.quantity
            held.set(trade.symbol, (held.get(trade.symbol) ?? 0n) + change)
            cash -= valueOf(trade.price, change, decimalsOf(trade.symbol)) + trade.fee
          }
          if (each._tag === 'Equity') expect(each.equity).toBe(cash + valueAll(held, last))
        }
      }
    })
  })

  it('never spends more cash than it has, and sells more than it holds only if short positions are allowed', () => {
    forAll((events, of) => {
      const { portfolio } = events.reduce(advance(of), initialState(of))
      if (of.cash === 0n && !of.allowShort) expect(portfolio.positions.size).toBe(0)
      expect(portfolio.cash).toBeGreaterThanOrEqual(0n)
      if (of.allowShort) return
      for (const { quantity } of portfolio.positions.values()) expect(quantity).toBeGreaterThanOrEqual(0n)
    })
  })
})

const isFilled = (event: PaperEvent): event is Filled => event._tag === 'Filled'

const decimalsOf = (name: string): number => (name === 'A' ? tokens.A : tokens.B).decimals

const valueAll = (held: ReadonlyMap<string, bigint>, last: ReadonlyMap<string, number>): bigint =>
  [...held].reduce((sum, [name, quantity]) => {
    return sum + valueOf(unitPrice(last.get(name) ?? 0), quantity, decimalsOf(name))
  }, 0n)

describe('the random events', () => {
  it('contain fills of both sides, in part, and rejections', () => {
    const results = fc.sample(fc.tuple(steps, settings), 100).flatMap(([all, of]) => {
      return run(timed(all), of).flatMap(([, emitted]) => emitted)
    })
    const fills = results.filter(isFilled)
    expect(new Set(fills.map(({ trade }) => `${trade.side} ${trade.symbol}`)).size).toBe(4)
    expect(fills.some(({ trade, ordered }) => trade.quantity < ordered)).toBe(true)
    expect(results.some(({ _tag }) => _tag === 'Rejected')).toBe(true)
  })
})

describe('settingsOf', () => {
  it.each([
    ['negative cash', { cash: -1 }],
    ['a negative fee', { cash: 1, feeBps: -1 }],
    ['a share above all', { cash: 1, depthShareBps: 10_001 }],
    ['a latency that is not a number', { cash: 1, latency: NaN }],
  ])('rejects %s', (_, invalid) => {
    expect(() => settingsOf({ tokens: [], ...invalid })).toThrow(RangeError)
  })

  it('rejects a token with more than 18 decimals', () => {
    const { X } = defineTokens({ X: { address: '0xcc', decimals: 19 } })
    expect(() => settingsOf({ tokens: [X], cash: 1 })).toThrow('X: expected at most 18 decimals, got 19')
  })

  it('has defaults', () => {
    expect(settingsOf({ tokens: [], cash: 1 })).toMatchObject({
      cash: money(1),
      latency: 50,
      allowShort: false,
    })
  })
})
