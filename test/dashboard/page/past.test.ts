import { left, right } from 'fp-ts/lib/Either.js'
import type { Page } from 'playwright-core'
import { from, NEVER, of } from 'rxjs'
import type { History } from 'svc-streams/history'
import { describe, expect, it } from 'vitest'
import { networkError } from '../../../src/base/errors/constructors.js'
import { eventually } from '../../support/time/eventually.js'
import { wbtc, weth } from '../../support/tokens.js'
import { linesOf } from './chart-lines.js'
import { historyOf, past } from '../support/history.js'
import { openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'

/** Prices that end 20 s ago, with a gap in their middle. */
const recorded = (): History => {
  const now = Date.now()
  const gap = (start: number, end: number) =>
    ({ _tag: 'Gap', topic: 'svc-0x', from: now - start, to: now - end, cause: 'stale' }) as const
  const events = [past(now - 200_000, 2400), gap(150_000, 100_000), past(now - 100_000, 2500), gap(20_000, 0)]
  return historyOf(from(events.map(right)))
}

/** The lowest and the highest price of the chart of ETH, as a screen reader announces them. */
const chartOf = async (page: Page): Promise<string> =>
  (await page.locator(`[data-token="${weth}"] .chart`).getAttribute('aria-label')) ?? ''

describe('the chart of a card', () => {
  it('shows the past with its gaps, and none of its prices as the current one', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client, {}, 0, recorded()))
    await eventually(async () =>
      expect(await chartOf(page)).toBe('Chart: lowest 2,400.0000, highest 2,500.0000 USD'),
    )
    expect(await valueOf(page, weth, 'state')).toBe('waiting')
    expect(await valueOf(page, weth, 'price')).toBe('\u2013')
    expect(await valueOf(page, weth, 'age')).toBe('\u2013')
    const lines = await linesOf(page)
    expect(lines).toHaveLength(2)
    const [first, second] = lines
    expect(first?.[1]).toBeLessThan(second![0] - 0.1)
    expect(second?.[1]).toBeLessThan(0.97)
    market.sendEth(2520)
    await eventually(async () => {
      expect(await valueOf(page, weth, 'price')).toBe('2520.0000')
      expect(await valueOf(page, weth, 'change')).toBe('+5.00 %')
      expect(await chartOf(page)).toBe('Chart: lowest 2,400.0000, highest 2,520.0000 USD')
    })
  })

  it('shows after a reload what was there before', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    for (const usd of [2400, 2500]) {
      market.sendEth(usd)
      await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe(`${usd}.0000`))
      // The page and its server keep one price of each slot.
      market.disconnect('reset')
      market.connect()
    }
    market.sendEth(2450)
    await page.reload()
    await eventually(async () => {
      expect(await valueOf(page, weth, 'price')).toBe('2450.0000')
      expect(await chartOf(page)).toBe('Chart: lowest 2,400.0000, highest 2,500.0000 USD')
    })
  })

  it('fills the gap of a page that was cut off, without a reload', async () => {
    const market = new TestMarket()
    const server = await startTestDashboard(market.client)
    const page = await openDashboard(server)
    market.sendEth(2400)
    await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe('2400.0000'))
    let loads = 0
    page.on('load', () => (loads += 1))
    await server.close()
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('down'))
    const missed = historyOf(from([past(Date.now() - 200_000, 2300), past(Date.now(), 2350)].map(right)))
    await startTestDashboard(market.client, {}, Number(new URL(server.url).port), missed)
    await eventually(async () => {
      expect(await valueOf(page, weth, 'state')).toBe('live')
      expect(await chartOf(page)).toBe('Chart: lowest 2,300.0000, highest 2,400.0000 USD')
      expect((await linesOf(page)).length).toBe(1)
    })
    expect(loads).toBe(0)
  })

  it('shows live prices while the past is late, and if its history fails', async () => {
    const failing = historyOf(of(left(networkError(new Error('reset')))))
    for (const history of [historyOf(NEVER), failing]) {
      const market = new TestMarket()
      const page = await openDashboard(await startTestDashboard(market.client, {}, 0, history))
      market.sendEth(2500)
      market.sendBtc(60_000)
      await eventually(async () => {
        expect(await valueOf(page, weth, 'state')).toBe('live')
        expect(await valueOf(page, wbtc, 'state')).toBe('live')
        expect(await valueOf(page, wbtc, 'buy')).not.toBe('\u2013')
      })
    }
  })
})
