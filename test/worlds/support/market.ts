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

const step: fc.Arbitrary<Step> = fc.record({
  after: oneOf(20, 40, 60, 140, 300, 620),
  does: fc.oneof({ arbitrary: price, weight: 6 }, { arbitrary: trouble, weight: 1 }),
})

export const market: fc.Arbitrary<Market> = fc.array(step, { minLength: 5, maxLength: 30 })

/** The length of a market, in ms. The last event of every topic is before it. */
export const lengthOf = (steps: Market): number => steps.reduce((sum, { after }) => sum + after, 0) + 990

/** True if the service ends the stream of a topic: a recording has no events of it from there on. */
export const rejects = (steps: Market): boolean => steps.some(({ does }) => does.kind === 'reject')
