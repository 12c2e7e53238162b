import fc from 'fast-check'
import { paper, roundTripsOf, summaryOf, type PaperEvent } from 'svc-streams/paper'
import { expect, it } from 'vitest'
import { withTerms } from '../../../src/backtest/account/terms.js'
import { caseCount } from '../../support/run/long.js'
import { givenMarket, options, steps, timed, tokens } from '../account/support/random-inputs.js'

it('a run that ends flat has the profit of its round trips, with all costs', async () => {
  await fc.assert(
    fc.asyncProperty(steps, options, async (all, of) => {
      const { client, order$, give } = givenMarket()
      const events: PaperEvent[] = []
      const account = { tokens, ...of }
      const flat = withTerms({ ...client }, { endsFlat: true })
      paper(flat, () => order$, account).subscribe((event) => events.push(event))
      for (const input of timed(all)) give(input)
      await client.close()
      const last = events.at(-1)
      const cashUsd = last?._tag === 'Account' ? last.cashUsd : NaN
      expect(last).toMatchObject({ positions: [], equityUsd: cashUsd })
      const { profitUsd, turnoverUsd } = summaryOf(events)
      const net = roundTripsOf(events).reduce((sum, { netUsd }) => sum + netUsd, 0)
      const rounding = 1e-12 * Math.max(1, turnoverUsd, of.cash)
      expect(Math.abs(cashUsd - of.cash - net)).toBeLessThan(rounding)
      if (profitUsd !== null) expect(Math.abs(profitUsd - net)).toBeLessThan(rounding)
    }),
    { numRuns: caseCount(4_000) },
  )
}, 300_000)
