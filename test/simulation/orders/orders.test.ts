import { describe, expect, it } from 'vitest'
import { isLong } from '../../support/run/long.js'
import { runEveryOrder } from './every-order.js'

describe('the core of a client', () => {
  it.each(isLong ? [0, 1_000] : [1_000])(
    'violates no rule in any order of a few events, with a linger of %d ms',
    (linger) => {
      const { orders, failure } = runEveryOrder(isLong ? 6 : 4, { linger })

      expect(failure).toBeUndefined()
      expect(orders).toBeGreaterThan(isLong ? 50_000 : 700)
    },
    isLong ? 600_000 : 60_000,
  )
})
