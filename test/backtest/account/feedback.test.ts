import { isLeft } from 'fp-ts/lib/Either.js'
import {
  EMPTY,
  filter,
  ignoreElements,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  Subject,
  switchMap,
  take,
  tap,
  timer,
  type Observable,
} from 'rxjs'
import { ConfigurationError } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import {
  limit,
  market,
  paper,
  target,
  type MarketClient,
  type Order,
  type PaperAccount,
  type PaperOptions,
  type PaperStrategy,
} from 'svc-streams/paper'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { marbles } from '../../support/time/marbles.js'
import { account, marbleClient, ordersAt, textOf, tokens, type Scenario } from './support/scenario.js'

const X = (units: bigint) => ({ units })

interface Feedback extends Scenario {
  readonly select$: (account: PaperAccount) => Observable<unknown>
  readonly expected: string
  readonly values: object
}

/** Expects what a stream of the account emits while a strategy trades. */
const expectFeedback = ({ select$, expected, values, ...scenario }: Feedback): void =>
  marbles(({ hot$, expectObservable }) => {
    const seen = new Subject<unknown>()
    const strategy = (client: ReturnType<typeof createTestClient>, feedback: PaperAccount) =>
      merge(
        select$(feedback).pipe(
          tap((value) => seen.next(value)),
          ignoreElements(),
        ),
        ordersAt(scenario.at)(client),
      )
    const options = { ...account, ...scenario.options }
    expectObservable(seen).toBe(expected, values)
    expectObservable(paper(marbleClient(hot$, scenario), strategy, options).pipe(ignoreElements())).toBe('')
  })

const buy = { 1: [market('X', 'buy', X(100n))], 2: [limit('X', 'sell', X(40n), 13)] }

describe('the account of a strategy', () => {
  it('emits each fill, with the position that contains it', () => {
    expectFeedback({
      prices: '  -1-2-3',
      expected: '-a---b',
      at: buy,
      select$: ({ fill$, position }) => fill$.pipe(map((fill) => [textOf(fill), position('X').quantity])),
      values: { a: ['buy 100 X at 11 (#1)', 100n], b: ['sell 40 X at 13 (#2)', 60n] },
    })
  })

  it('emits a position at once, and after each fill', () => {
    expectFeedback({
      prices: '  -1-2-3-4',
      expected: 'ab---c-d',
      at: { ...buy, 4: [target('X', X(0n))] },
      select$: ({ position$ }) => position$('X'),
      values: {
        a: { quantity: 0n, averagePrice: null },
        b: { quantity: 100n, averagePrice: 11 },
        c: { quantity: 60n, averagePrice: 11 },
        d: { quantity: 0n, averagePrice: null },
      },
    })
  })

  it('emits the open orders at once, and after each change', () => {
    const order = limit('X', 'buy', X(500n), 12)
    // A rejected order was never open: it changes nothing.
    const rejected = market('X', 'sell', X(1n))
    expectFeedback({
      prices: '  -3-1---1',
      depths: '  d-----e',
      expected: 'ab-c--d',
      at: { 3: [rejected, order, rejected] },
      select$: ({ open$ }) => open$.pipe(map((all) => all.map(({ remaining }) => remaining))),
      values: { a: [], b: [500n], c: [100n], d: [] },
    })
  })

  it('emits its value, whether it is current, and the last one to late subscribers', () => {
    expectFeedback({
      prices: '  -0-1-S-2',
      expected: 'ab-c-d-e',
      at: { 1: [market('X', 'buy', X(100n))] },
      options: { sampleMs: 1_000, feeBps: 100 },
      select$: ({ equity$ }) =>
        equity$.pipe(map(({ at, equityUsd, isCurrent, prices }) => [at, equityUsd, isCurrent, prices['X']])),
      values: {
        a: [0, 10_000, true, undefined],
        b: [1, 10_000, true, 10],
        c: [3, 9_999.89, true, 11],
        d: [3, 9_999.89, false, 11],
        e: [7, 10_000.89, true, 12],
      },
    })
  })

  it('has seen a price before the strategy sees it, and takes an order inside a handler of a fill', () => {
    const strategy = ({ price$ }: ReturnType<typeof createTestClient>, feedback: PaperAccount) =>
      merge(
        price$(tokens.X.topic).pipe(
          rights(),
          mergeMap(({ price }) => (price === 11 ? [market('X', 'buy', X(100n), { id: 'first' })] : [])),
        ),
        feedback.fill$.pipe(
          mergeMap(({ id }) => (id === 'first' ? [market('Y', 'buy', X(3n), { id: 'hedge' })] : [])),
        ),
      )
    marbles(({ hot$, expectObservable }) => {
      const prices = '     -1'
      const otherPrices = '--5'
      const expected = '   -fg'
      const client = marbleClient(hot$, { prices, otherPrices })
      const text$ = paper(client, strategy, account).pipe(
        mergeMap((event) => (event._tag === 'Filled' ? [textOf(event)] : [])),
      )
      expectObservable(text$).toBe(expected, { f: 'buy 100 X at 11 (#first)', g: 'buy 3 Y at 15 (#hedge)' })
    })
  })

  it('gives the current price at once to a strategy that subscribes later', () => {
    marbles(({ hot$, expectObservable }) => {
      const late$ = new Subject<number>()
      const strategy = (client: ReturnType<typeof createTestClient>, { fill$ }: PaperAccount) =>
        merge(
          ordersAt({ 1: [market('X', 'buy', X(1n))] })(client),
          fill$.pipe(
            switchMap(() => client.price$(tokens.X.topic)),
            rights(),
            tap(({ price }) => late$.next(price)),
            ignoreElements(),
          ),
        )
      const prices = '  -1---2'
      const expected = '-a---b'
      const client = marbleClient(hot$, { prices })
      expectObservable(late$).toBe(expected, { a: 11, b: 12 })
      expectObservable(paper(client, strategy, account).pipe(ignoreElements())).toBe('')
    })
  })

  it('throws for a symbol that is not one of the account', () => {
    const strategy = (_: unknown, { position, position$ }: PaperAccount): Observable<Order> => {
      expect(() => position('Z')).toThrow(ConfigurationError)
      expect(() => position$('Z')).toThrow('symbol: expected a token of the account (X, Y), got "Z"')
      return EMPTY
    }
    const client = createTestClient({ prices: { [tokens.X.topic]: NEVER } })
    paper(client, strategy, account).subscribe().unsubscribe()
    expect.assertions(2)
  })
})

describe('decidedAt', () => {
  it('of an order of a timer is the time of the timer, not that of the last data', () => {
    const strategy = () => timer(50).pipe(map(() => market('X', 'buy', X(100n))))
    marbles(({ hot$, expectObservable }) => {
      const prices = '  -1 49ms -2 9ms 3'
      const expected = '62ms f'
      const client = marbleClient(hot$, { prices })
      const filled$ = paper(client, strategy, { ...account, latency: 10 }).pipe(
        mergeMap((event) => (event._tag === 'Filled' ? [[event.decidedAt, event.at, event.price]] : [])),
      )
      expectObservable(filled$).toBe(expected, { f: [50, 62, 13] })
    })
  })
})

describe('paper', () => {
  it('ends with the account when the streams of the client have completed', () => {
    marbles(({ hot$, expectObservable }) => {
      const at = { 1: [market('X', 'buy', X(100n))] }
      const prices = '  -1-2|'
      const depths = '  d---|'
      const expected = '----(a|)'
      const client = marbleClient(hot$, { prices, otherPrices: '|', depths })
      const end$ = paper(client, ordersAt(at), { ...account, feeBps: 100 }).pipe(
        mergeMap((event) => (event._tag === 'Account' ? [event] : [])),
      )
      const positions = [{ symbol: 'X', quantity: 100n, averagePrice: 11, unrealisedUsd: 1 }]
      expectObservable(end$).toBe(expected, {
        a: { _tag: 'Account', at: 3, cashUsd: 9_988.89, equityUsd: 10_000.89, feesUsd: 0.11, positions },
      })
    })
  })

  it('dates an order that a Left causes by the arrival of the Left', () => {
    marbles(({ hot$, expectObservable }) => {
      const client = marbleClient(hot$, { prices: '0---S', otherPrices: '0----1--2', depths: 'd' })
      const expected = '                                             --------f'
      const strategy = ({ price$ }: MarketClient) =>
        price$(tokens.X.topic).pipe(
          filter(isLeft),
          map(() => market('Y', 'buy', X(1n))),
        )
      const fill$ = paper(client, strategy, { ...account, latency: 3 }).pipe(
        filter((event) => event._tag === 'Filled'),
        map((event) => [event.decidedAt, textOf(event)]),
      )
      expectObservable(fill$).toBe(expected, { f: [4, 'buy 1 Y at 12 (#1)'] })
    })
  })

  it('takes no order that its last events cause: the account is the last event', () => {
    marbles(({ hot$, expectObservable }) => {
      const client = marbleClient(hot$, { prices: '-1-(2|)', otherPrices: '|', depths: 'd--|' })
      const expected = '                             ee-(ea|)'
      const strategy = (_: unknown, { equity$ }: PaperAccount) =>
        equity$.pipe(
          filter(({ at }) => at === 3),
          take(1),
          map(() => market('X', 'buy', X(100n))),
        )
      const text$ = paper(client, strategy, account).pipe(map(textOf))
      expectObservable(text$).toBe(expected, { e: 'Equity', a: 'Account' })
    })
  })

  it('passes on an Rx error of the strategy, and unsubscribes from the client', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const price$ = hot$<never>('')
      const order$ = hot$<never>('--#')
      const subscribed = '        ^-!'
      const expected = '          --#'
      const client = createTestClient({ prices: { [tokens.X.topic]: price$ } })
      const run$ = paper(client, () => order$, { ...account, tokens: { X: tokens.X } })
      expectObservable(run$).toBe(expected)
      expectSubscriptions(price$.subscriptions).toBe(subscribed)
    })
  })

  it.each<[Partial<PaperOptions> | Record<string, unknown>, string]>([
    [{ cash: -1 }, 'cash: expected an amount in USD from 0 to 1e15'],
    [{ cash: undefined }, 'cash: expected an amount in USD from 0 to 1e15'],
    [{ feeBps: -1 }, 'feeBps: expected a number of basis points from 0 to 10000, which has no default'],
    [
      { feeBps: undefined },
      'feeBps: expected a number of basis points from 0 to 10000, which has no default',
    ],
    [{ slippageBps: undefined }, 'slippageBps: expected a number of basis points'],
    // A sell would get a price of 0.
    [{ slippageBps: 10_000 }, 'slippageBps: expected a number of basis points from 0 to 9999'],
    [
      { latency: undefined },
      'latency: expected a number of ms from 0 to 1000000000000, which has no default',
    ],
    [{ latency: NaN }, 'usual: 50 to 500'],
    [{ maxLeverage: 0 }, 'maxLeverage: expected a number above 0 and at most 1000'],
    [{ depthInterval: 0 }, 'depthInterval: expected a number of ms of at least 1'],
    [{ depthShareBps: 10_001 }, 'depthShareBps: expected a number of at least 0 and at most 10000'],
    [{ slipageBps: 1 }, 'slipageBps: did you mean slippageBps?'],
    [{ tokens: {} }, 'tokens: expected at least one token'],
    [{ tokens: { X: {} } }, 'tokens: expected tokens of defineTokens'],
    // Each symbol would take its own share of one depth.
    [{ tokens: { X: tokens.X, Z: { ...tokens.X, symbol: 'Z' } } }, 'tokens: expected one symbol an address'],
    [{ allowShort: 'yes' }, 'allowShort: expected true or false'],
  ])('throws for the options %j', (invalid, message) => {
    const call = () =>
      paper(createTestClient(), () => NEVER, { ...account, ...(invalid as Partial<PaperOptions>) })
    expect(call).toThrow(ConfigurationError)
    expect(call).toThrow(message)
  })

  it('throws for what is no client, and what is no strategy', () => {
    const call = (client: unknown, strategy: unknown) => () =>
      paper(client as MarketClient, strategy as PaperStrategy<MarketClient>, account)
    expect(call(undefined, () => NEVER)).toThrow(
      'client: expected an object with the methods price$ and depth$',
    )
    expect(call(createTestClient(), undefined)).toThrow('strategy: expected a function (client, account)')
  })

  it('runs anew for each subscriber', () => {
    marbles(({ hot$, expectObservable }) => {
      const prices = '        -1-1'
      const expected = '      -1'
      const subscribedLate = '--^'
      const expectedLate = '  ---1'
      const client = marbleClient(hot$, { prices })
      const fills$ = paper(client, () => of(market('X', 'buy', X(1n))), account).pipe(
        mergeMap((event) => (event._tag === 'Filled' ? [event.id] : [])),
      )
      expectObservable(fills$).toBe(expected)
      // Decided at its subscription: the price before is too early.
      expectObservable(fills$, subscribedLate).toBe(expectedLate)
    })
  })
})
