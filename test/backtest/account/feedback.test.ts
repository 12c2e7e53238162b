import {
  EMPTY,
  ignoreElements,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  Subject,
  switchMap,
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

/** Expects what a stream of the account emits while a strategy trades. */
const expectFeedback = (
  scenario: Scenario,
  select$: (account: PaperAccount) => Observable<unknown>,
  expected: string,
  values: object,
): void =>
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
    expectFeedback(
      { prices: '-1-2-3', at: buy },
      ({ fill$, position }) => fill$.pipe(map((fill) => [textOf(fill), position('X').quantity])),
      '-a---b',
      { a: ['buy 100 X at 11 (#1)', 100n], b: ['sell 40 X at 13 (#2)', 60n] },
    )
  })

  it('emits a position at once, and after each fill', () => {
    expectFeedback(
      { prices: '-1-2-3-4', at: { ...buy, 4: [target('X', X(0n))] } },
      ({ position$ }) => position$('X'),
      'ab---c-d',
      {
        a: { quantity: 0n, averagePrice: null },
        b: { quantity: 100n, averagePrice: 11 },
        c: { quantity: 60n, averagePrice: 11 },
        d: { quantity: 0n, averagePrice: null },
      },
    )
  })

  it('emits the open orders at once, and after each change', () => {
    const order = limit('X', 'buy', X(500n), 12)
    // A rejected order was never open: it changes nothing.
    const rejected = market('X', 'sell', X(1n))
    expectFeedback(
      { prices: '-3-1---1', depths: 'd-----e', at: { 3: [rejected, order, rejected] } },
      ({ open$ }) => open$.pipe(map((all) => all.map(({ remaining }) => remaining))),
      'ab-c--d',
      { a: [], b: [500n], c: [100n], d: [] },
    )
  })

  it('emits its value, whether it is current, and the last one to late subscribers', () => {
    const at = { 1: [market('X', 'buy', X(100n))] }
    const value = ({ equity$ }: PaperAccount) =>
      equity$.pipe(
        map(({ at: time, equityUsd, isCurrent, prices }) => [time, equityUsd, isCurrent, prices['X']]),
      )
    const scenario = { prices: '-0-1-S-2', at, options: { sampleMs: 1_000, feeBps: 100 } }
    expectFeedback(scenario, value, 'a--b-c-d', {
      a: [0, 10_000, true, undefined],
      b: [3, 9_999.89, true, 11],
      c: [3, 9_999.89, false, 11],
      d: [7, 10_000.89, true, 12],
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
      const client = marbleClient(hot$, { prices: '-1', otherPrices: '--5' })
      const text$ = paper(client, strategy, account).pipe(
        mergeMap((event) => (event._tag === 'Filled' ? [textOf(event)] : [])),
      )
      expectObservable(text$).toBe('-fg', { f: 'buy 100 X at 11 (#first)', g: 'buy 3 Y at 15 (#hedge)' })
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
      const client = marbleClient(hot$, { prices: '-1---2' })
      expectObservable(late$).toBe('-a---b', { a: 11, b: 12 })
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
      const client = marbleClient(hot$, { prices: '-1 49ms -2 9ms 3' })
      const filled$ = paper(client, strategy, { ...account, latency: 10 }).pipe(
        mergeMap((event) => (event._tag === 'Filled' ? [[event.decidedAt, event.at, event.price]] : [])),
      )
      expectObservable(filled$).toBe('62ms f', { f: [50, 62, 13] })
    })
  })
})

describe('paper', () => {
  it('ends with the account when the streams of the client have completed', () => {
    marbles(({ hot$, expectObservable }) => {
      const at = { 1: [market('X', 'buy', X(100n))] }
      const client = marbleClient(hot$, { prices: '-1-2|', otherPrices: '|', depths: 'd---|' })
      const end$ = paper(client, ordersAt(at), { ...account, feeBps: 100 }).pipe(
        mergeMap((event) => (event._tag === 'Account' ? [event] : [])),
      )
      const positions = [{ symbol: 'X', quantity: 100n, averagePrice: 11, unrealisedUsd: 1 }]
      expectObservable(end$).toBe('----(a|)', {
        a: { _tag: 'Account', at: 3, cashUsd: 9_988.89, equityUsd: 10_000.89, feesUsd: 0.11, positions },
      })
    })
  })

  it('passes on an Rx error of the strategy, and unsubscribes from the client', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const [price$, order$] = [hot$<never>(''), hot$<never>('--#')]
      const client = createTestClient({ prices: { [tokens.X.topic]: price$ } })
      const run$ = paper(client, () => order$, { ...account, tokens: { X: tokens.X } })
      expectObservable(run$).toBe('--#')
      expectSubscriptions(price$.subscriptions).toBe('^-!')
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
      const client = marbleClient(hot$, { prices: '-1-1' })
      const fills$ = paper(client, () => of(market('X', 'buy', X(1n))), account).pipe(
        mergeMap((event) => (event._tag === 'Filled' ? [event.id] : [])),
      )
      expectObservable(fills$).toBe('-1')
      // Decided at its subscription: the price before is too early.
      expectObservable(fills$, '--^').toBe('---1')
    })
  })
})
