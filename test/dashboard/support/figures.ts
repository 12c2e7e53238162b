import fc from 'fast-check'
import type { Figures } from '../../../src/view/watched-token.js'
import { eth } from './tokens.js'

/** Figures of ETH with these values. */
export const figures = (values: Partial<Figures> = {}): Figures => ({
  token: eth,
  state: 'live',
  price: 2500,
  change: 0,
  spanMs: 300_000,
  low: 2400,
  high: 2600,
  age: 0,
  lag: 0,
  ...values,
})

const maybe = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: undefined })

/** Figures of tokens with different addresses. */
export const anyFigures: fc.Arbitrary<readonly Figures[]> = fc
  .array(
    fc.record({
      symbol: fc.string({ maxLength: 4 }),
      price: maybe,
      change: maybe,
      age: maybe,
      lag: maybe,
    }),
  )
  .map((rows) =>
    rows.map(({ symbol, ...values }, index) =>
      figures({ ...values, token: { address: `0x${(index + 1).toString(16)}`, symbol, decimals: 18 } }),
    ),
  )
