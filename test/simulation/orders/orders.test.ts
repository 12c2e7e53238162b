import { describe, expect, it } from 'vitest'
import { caseCount, isLong } from '../../support/run/long.js'
import { runEveryOrder } from './every-order.js'

describe('the core of a client', () => {
  it.each(
    isLong
      ? [
          // Not if only a part of the cases is run.
          ...(caseCount(100) < 100 ? [] : [{ length: 6, linger: 0, least: 50_000 }]),
          { length: 5, linger: 1_000, least: 5_000 },
        ]
      : [{ length: 4, linger: 1_000, least: 700 }],
  )(
    'violates no rule in any order of up to $length events, with a linger of $linger ms',
    ({ length, linger, least }) => {
      const { orders, failure } = runEveryOrder(length, { linger })

      expect(failure).toBeUndefined()
      expect(orders).toBeGreaterThan(least)
    },
    isLong ? 600_000 : 60_000,
  )
})
