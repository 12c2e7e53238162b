import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { filter, map } from 'rxjs'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { describe, it } from 'vitest'
import { reversions$ } from '../../../examples/paper-trading/signals.js'
import paper$, { order$, tokens } from '../../../examples/paper-trading/strategy.js'
import { marbles } from '../../support/time/marbles.js'

const { ETH, BTC } = tokens

/** `a` is 100, `b` is 101, and so on; `L` is a Left. */
const values: Readonly<Record<string, Either<string, number>>> = {
  ...Object.fromEntries('abcdef'.split('').map((letter, index) => [letter, right(100 + index)])),
  L: left('lost'),
}
const sides = { b: 'buy', s: 'sell' }

const expectSides = (input: string, expected: string): void =>
  marbles(({ hot$, expectObservable }) => {
    const side$ = reversions$(hot$(input, values), { window: 2, entryBps: 150 })
    expectObservable(side$).toBe(expected, sides)
  })

describe('reversions$', () => {
  it('sells far above the average of the values before, and buys far below', () => {
    expectSides('-c-c-c-e-c-a-|', '-------s---b-|')
  })

  it('emits each change once, and nothing within the distance', () => {
    expectSides('-a-a-b-b-d-f-|', '---------s---|')
  })

  it('emits nothing before the window is full, and fills it again after a Left', () => {
    expectSides('-a-f---|', '-------|')
    expectSides('-a-a-L-f-f-c-|', '-----------b-|')
  })
})

const eth = (usd: number) => price(ETH.topic, usd)
const btc = (usd: number) => price(BTC.topic, usd)
const side = { totalQuantity: 10n ** 20n, totalQuantityUsd: 1 }
const book = (address: `0x${string}`) => depth(address, { buy: side, sell: side })
const parameter = { window: 1, entryBps: 100, usd: 500 }

describe('the strategy', () => {
  it('trades the price of one token, and the spread of two in opposite directions', () => {
    marbles(({ hot$, expectObservable }) => {
      const client = createTestClient({
        prices: {
          [ETH.topic]: hot$('-a---b----|', { a: eth(2_000), b: eth(2_100) }),
          [BTC.topic]: hot$('--a-c-----|', { a: btc(60_000), c: btc(60_001) }),
        },
        stamp: true,
      })
      const text$ = order$(client, parameter).pipe(map((order) => `${order.side} ${order.symbol}`))
      expectObservable(text$).toBe('-----(abc)|', { a: 'sell ETH', b: 'buy BTC', c: 'sell ETH' })
    })
  })

  it('has a default export that emits one summary, in the form of a sweep', () => {
    marbles(({ hot$, expectObservable }) => {
      const client = createTestClient({
        prices: {
          [ETH.topic]: hot$('-a--b 99ms b|', { a: eth(2_000), b: eth(2_100) }),
          [BTC.topic]: hot$('-a-----------|', { a: btc(60_000) }),
        },
        depths: {
          [ETH.address]: hot$('d|', { d: book(ETH.address) }),
          [BTC.address]: hot$('d|', { d: book(BTC.address) }),
        },
        stamp: true,
      })
      const counts$ = paper$(client, parameter).pipe(
        filter((summary) => summary.fees > 0),
        map(({ filled, rejected }) => ({ filled, rejected })),
      )
      // The order of BTC has no price after its decision.
      expectObservable(counts$).toBe('105ms (s|)', { s: { filled: 2, rejected: 1 } })
    })
  })
})
