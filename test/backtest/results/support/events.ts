import fc from 'fast-check'
import { market, type Equity, type Filled, type PaperEvent } from 'svc-streams/paper'

// Random events of an account, as a run has them: fills, and after each the value of the account.

const step = fc.record({
  after: fc.constantFrom(0, 1, 500, 60_000, 61_000, 200_000),
  symbol: fc.constantFrom('A', 'B'),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  quantity: fc.bigInt({ min: 1n, max: 5n }),
  price: fc.constantFrom(1, 2, 3, 2.5, 0.1),
  equityUsd: fc.oneof(fc.integer({ min: 900, max: 1_100 }), fc.constantFrom(1_000, 1_000, 0)),
  isCurrent: fc.boolean(),
  isFill: fc.boolean(),
})

export const randomEvents: fc.Arbitrary<readonly PaperEvent[]> = fc
  .array(step, { maxLength: 25 })
  .map((steps) => {
    let at = 1_700_000_000_000
    return steps.flatMap((each, index): readonly (Filled | Equity)[] => {
      at += each.after
      const { symbol, side, quantity, price, equityUsd, isCurrent } = each
      const valueUsd = price * Number(quantity)
      const filled: Filled = {
        ...{ _tag: 'Filled', id: String(index), order: market(symbol, side, { units: quantity }) },
        ...{ symbol, side, decidedAt: at, at, price, quantity, valueUsd, remaining: 0n },
        ...{ feeUsd: valueUsd / 1_000, slippageUsd: valueUsd / 500 },
      }
      const equity: Equity = { _tag: 'Equity', at, equityUsd, isCurrent, prices: { [symbol]: price } }
      return each.isFill && index > 0 ? [filled, equity] : [equity]
    })
  })
