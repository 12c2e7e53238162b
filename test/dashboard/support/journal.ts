import type { Filled, Side } from 'svc-streams/paper'
import type { SavedState } from '../../../src/backtest/account/journal/journal.js'

/** A fill at a time in ms since the Unix epoch. `quantity`: in base-token units. */
export const filled = (
  symbol: string,
  side: Side,
  quantity: bigint,
  price: number,
  at = Date.now(),
): Filled => ({
  ...{ _tag: 'Filled', id: '1', order: { _tag: 'Market', symbol, side, size: { units: quantity } } },
  ...{ symbol, side, decidedAt: at, at, price, quantity, remaining: 0n },
  ...{ valueUsd: 0, feeUsd: 0, slippageUsd: 0 },
})

/** A state that follows fills in a journal. */
export const savedState: SavedState = {
  ...{ _tag: 'State', at: 0, cash: 0, fees: 0, numbered: 1, isLiquidated: false },
  ...{ prices: {}, sampled: undefined, holdings: [], orders: [] },
}
