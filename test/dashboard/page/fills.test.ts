import { appendFileSync, renameSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { journalLines } from '../../../src/backtest/account/journal/journal.js'
import { JournalFills } from '../../../src/dashboard/server/journal-fills.js'
import { newFolder } from '../../support/new-folder.js'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { filled, savedState } from '../support/journal.js'
import { openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'
import { btc, eth } from '../support/tokens.js'

/** The marks of a side on the chart of ETH, as far as they are below their prices, in pixels. */
const marksOf = (page: Page, side: 'buy' | 'sell'): Promise<readonly number[]> =>
  page.locator(`[data-token="${weth}"] use.${side}`).evaluateAll((marks) =>
    marks.map((mark) => {
      const { top, bottom } = mark.getBoundingClientRect()
      const chart = mark.closest('svg')?.getBoundingClientRect() ?? new DOMRect()
      const price = chart.top + (parseFloat(mark.getAttribute('y') ?? '') / 100) * chart.height
      return (top + bottom) / 2 - price
    }),
  )

const listOf = (page: Page): Promise<readonly string[]> =>
  page.getByRole('log', { name: 'Fills' }).locator('li > span').allTextContents()

const one = 10n ** 18n

test('draws the fills of a journal on the chart of their token, and lists them, while it grows', async () => {
  const journal = `${newFolder()}/desk.ndjson`
  const market = new TestMarket()
  const fills = new JournalFills(journal, [eth, btc])
  const page = await openDashboard(await startTestDashboard(market.client, {}, 0, undefined, fills))
  const chart = page.locator(`[data-token="${weth}"] .chart`)
  market.sendEth(2500)
  await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe('2500.0000'))
  expect(await listOf(page)).toEqual([])
  appendFileSync(journal, journalLines([filled('ETH', 'buy', one, 2400)], savedState))
  const bought = 'ETH: buy 1.0000 at 2,400.0000 USD, position 1.0000'
  await eventually(async () => expect(await listOf(page)).toEqual([bought]))
  // A buy points up from below, a sell points down from above: they differ without colours.
  await eventually(async () => expect(await marksOf(page, 'buy')).toEqual([expect.closeTo(5, 0)]))
  expect(await marksOf(page, 'sell')).toEqual([])
  expect(await chart.getAttribute('aria-label')).toBe(
    'Chart: lowest 2,500.0000, highest 2,500.0000 USD, fills: 1',
  )
  appendFileSync(journal, journalLines([filled('ETH', 'sell', 3n * one, 2600)], savedState))
  const sold = 'ETH: sell 3.0000 at 2,600.0000 USD, position -2.0000'
  await eventually(async () => expect(await listOf(page)).toEqual([sold, bought]))
  await eventually(async () => expect(await marksOf(page, 'sell')).toEqual([expect.closeTo(-5, 0)]))
  // Another journal replaces them.
  renameSync(journal, `${journal}.1`)
  appendFileSync(journal, journalLines([], savedState))
  await eventually(async () => expect(await listOf(page)).toEqual([]))
  await eventually(async () => expect(await marksOf(page, 'buy')).toEqual([]))
})

test('shows the side, quantity, price and time of a fill at the crosshair, to a screen reader too', async () => {
  const journal = `${newFolder()}/desk.ndjson`
  const market = new TestMarket()
  const fills = new JournalFills(journal, [eth, btc])
  const page = await openDashboard(await startTestDashboard(market.client, {}, 0, undefined, fills))
  market.sendEth(2500)
  await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe('2500.0000'))
  const slider = page.getByRole('slider', { name: 'Time on the chart of ETH' })
  const textAtStart = async () => {
    await slider.press('Home')
    return (await slider.getAttribute('aria-valuetext')) ?? ''
  }
  // The fill is at the first price of the chart.
  const [time = ''] = (await textAtStart()).split(' · ')
  const at = Date.parse(`${new Date().toDateString()} ${time}`)
  appendFileSync(journal, journalLines([filled('ETH', 'buy', one / 2n, 2400, at)], savedState))
  await eventually(async () =>
    expect(await textAtStart()).toContain(
      `${time.slice(0, 8)} buy 0.50000 at 2,400.0000 USD, position 0.50000`,
    ),
  )
})
