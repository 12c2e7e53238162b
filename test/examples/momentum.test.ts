import fc from 'fast-check'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { from, map, toArray, type Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { momentum$, type Momentum } from '../../examples/strategies/momentum.js'
import type { Price, PriceError } from '../../src/index.js'
import { mapRight } from '../../src/operators/index.js'
import { createTestClient, disconnected, price, stale } from '../../src/testing/index.js'
import { marbles } from '../support/time/marbles.js'

const topic = 'svc-0xab'
const periods = { fastPeriod: 2, slowPeriod: 3 }

type PriceEvent = Either<PriceError, Price>

const usd = (amount: number): PriceEvent => right(price(topic, amount))
const lostConnection = disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 100 })
const staleTopic = stale(topic, 1_000, undefined)

/** `a` is a price of 10 USD, `b` one of 9, and so on down to `e`; capitals are errors. */
const events: Readonly<Record<string, PriceEvent>> = {
  a: usd(10),
  b: usd(9),
  c: usd(8),
  d: usd(7),
  e: usd(6),
  L: left(lostConnection),
  S: left(staleTopic),
}

/** The signal as a letter: buy, sell, hold, or `w` before the slow average has enough prices. */
const letterOf = ({ lead, signal }: Momentum): string => (lead === null ? 'w' : signal.charAt(0))
const letters = {
  ...Object.fromEntries(['b', 's', 'h', 'w'].map((letter) => [letter, right(letter)])),
  L: left(lostConnection),
  S: left(staleTopic),
}

const signals$ = (prices$: Observable<PriceEvent>): Observable<Either<PriceError, string>> =>
  momentum$(createTestClient({ prices: { [topic]: prices$ } }), topic, periods).pipe(mapRight(letterOf))

const expectSignals = ({ prices, expected }: { prices: string; expected: string }): void =>
  marbles(({ hot$, expectObservable }) => {
    expectObservable(signals$(hot$(prices, events))).toBe(expected, letters)
  })

describe('momentum$', () => {
  it('buys when the fast average crosses above the slow one, and sells when it crosses below', () => {
    expectSignals({
      prices: '  -d-d-e-a-a-e-e-a|',
      expected: '-w-w-h-b-h-s-h-b|',
    })
  })

  it('emits no signal before the slow average has enough prices', () => {
    expectSignals({
      prices: '  -e-a-|',
      expected: '-w-w-|',
    })
  })

  it('holds at the first known direction, which is not a crossing', () => {
    expectSignals({
      prices: '  -e-c-a-a-|',
      expected: '-w-w-h-h-|',
    })
  })

  it('passes an error, and starts its averages again', () => {
    expectSignals({
      prices: '  -c-d-e-a--',
      expected: '-w-w-h-b--',
    })
    expectSignals({
      prices: '  -c-d-eLa-a-a--',
      expected: '-w-w-hLw-w-h--',
    })
    expectSignals({
      prices: '  -c-d-eSa-a-a--',
      expected: '-w-w-hSw-w-h--',
    })
  })

  it('completes with the prices', () => {
    const client = createTestClient()
    marbles(({ expectObservable }) => {
      const tags$ = momentum$(client, topic).pipe(map((event) => event._tag))
      expectObservable(tags$).toBe('(l|)', { l: 'Left' })
    })
  })

  it('keeps separate averages for each subscriber', () => {
    marbles(({ cold$, expectObservable }) => {
      const prices$ = cold$(' dde', events)
      const expected = '      wwh'
      const subscribedLate = '-----^'
      const expectedLate = '  -----w'
      const shared$ = signals$(prices$)
      expectObservable(shared$).toBe(expected, letters)
      // A late subscriber receives the last price.
      expectObservable(shared$, subscribedLate).toBe(expectedLate, letters)
    })
  })

  it('emits the same signals after an error as from the start', () => {
    const prices = fc.array(fc.integer({ min: 1, max: 20 }).map(usd), { maxLength: 12 })
    fc.assert(
      fc.property(prices, prices, (before, after) => {
        const signals = signalsOf([...before, left(lostConnection), ...after])
        expect(signals).toEqual([...signalsOf(before), left(lostConnection), ...signalsOf(after)])
      }),
    )
  })
})

const signalsOf = (prices: readonly PriceEvent[]): readonly Either<PriceError, string>[] => {
  let signals: readonly Either<PriceError, string>[] = []
  signals$(from(prices))
    .pipe(toArray())
    .subscribe((all) => (signals = all))
  return signals
}
