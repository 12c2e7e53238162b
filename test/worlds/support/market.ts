import fc from 'fast-check'
import { a, b } from './strategies.js'

// What the service does in a test: at multiples of 20 ms, so that no timer of a strategy is due at the same time.

/** A step of a market. `after`: ms after the step before. */
export interface Step {
  readonly after: number
  readonly does:
    | { readonly kind: 'price' | 'garbage' | 'reject'; readonly topic: string }
    | { readonly kind: 'drop'; readonly refusals: number }
    | { readonly kind: 'depth fails'; readonly status: number }
}

export type Market = readonly Step[]

const oneOf = <A>(...values: readonly A[]): fc.Arbitrary<A> => fc.constantFrom(...values)

const price: fc.Arbitrary<Step['does']> = fc.record({
  kind: fc.constant('price' as const),
  topic: oneOf(a, a, b),
})

const trouble: fc.Arbitrary<Step['does']> = fc.oneof(
  fc.record({ kind: fc.constant('garbage' as const), topic: oneOf(a, b) }),
  fc.record({ kind: fc.constant('drop' as const), refusals: fc.nat(2) }),
  fc.record({ kind: fc.constant('depth fails' as const), status: oneOf(400, 500, 503) }),
  fc.constant({ kind: 'reject' as const, topic: b }),
)

const marketOf = (...pauses: readonly number[]): fc.Arbitrary<Market> => {
  const does = fc.oneof({ arbitrary: price, weight: 6 }, { arbitrary: trouble, weight: 1 })
  return fc.array(fc.record({ after: oneOf(...pauses), does }), { minLength: 5, maxLength: 30 })
}

export const market = marketOf(20, 40, 60, 140, 300, 620)

/** Steps so far apart that each state lasts for more than 100 ms: also the 150 ms between `Stale` and the next price. */
export const slowMarket = marketOf(340, 660)

/** The length of a market, in ms. The last event of every topic is before it. */
export const lengthOf = (steps: Market): number => steps.reduce((sum, { after }) => sum + after, 0) + 990

/** True if the service ends the stream of a topic: a recording has no events of it from there on. */
export const rejects = (steps: Market): boolean => steps.some(({ does }) => does.kind === 'reject')
