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

/** The widths of the rows of the marks in a colour on the chart of ETH, from the top, in pixels. */
const markOf = (page: Page, colour: 'up' | 'down'): Promise<readonly number[]> =>
  page.evaluate(
    ([selector, name]) => {
      const chart = document.querySelector(selector)
      const canvas = chart?.querySelector('canvas')
      const context = canvas?.getContext('2d')
      if (!chart || !canvas || !context) return []
      context.fillStyle = getComputedStyle(chart).getPropertyValue(name).trim()
      const rgb = (/\w\w/g[Symbol.match](context.fillStyle) ?? []).map((hex) => parseInt(hex, 16))
      const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height)
      const rows = Array.from({ length: height }, (_, y) => {
        const pixels = Array.from({ length: width }, (_unused, x) => 4 * (y * width + x))
        return pixels.filter((pixel) => rgb.every((value, index) => data[pixel + index] === value)).length
      })
      return rows.filter((count) => count > 0)
    },
    [`[data-token="${weth}"] .chart`, `--chart-${colour}`] as const,
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
  // A buy is the wider the lower, a sell the wider the higher: they differ without colours.
  const isWideningDown = (rows: readonly number[]) => (rows[0] ?? 0) < (rows.at(-2) ?? 0)
  await eventually(async () => expect(isWideningDown(await markOf(page, 'up'))).toBe(true))
  expect(await markOf(page, 'down')).toEqual([])
  expect(await chart.getAttribute('aria-label')).toBe(
    'Chart: lowest 2,500.0000, highest 2,500.0000 USD, fills: 1',
  )
  appendFileSync(journal, journalLines([filled('ETH', 'sell', 3n * one, 2600)], savedState))
  const sold = 'ETH: sell 3.0000 at 2,600.0000 USD, position -2.0000'
  await eventually(async () => expect(await listOf(page)).toEqual([sold, bought]))
  await eventually(async () => expect(isWideningDown((await markOf(page, 'down')).toReversed())).toBe(true))
  // Another journal replaces them.
  renameSync(journal, `${journal}.1`)
  appendFileSync(journal, journalLines([], savedState))
  await eventually(async () => expect(await listOf(page)).toEqual([]))
  await eventually(async () => expect(await markOf(page, 'up')).toEqual([]))
})

test('shows the side, quantity, price and time of a fill at the crosshair, to a screen reader too', async () => {
  const journal = `${newFolder()}/desk.ndjson`
  const at = Date.now()
  appendFileSync(journal, journalLines([filled('ETH', 'buy', one / 2n, 2400, at)], savedState))
  const market = new TestMarket()
  const fills = new JournalFills(journal, [eth, btc])
  const page = await openDashboard(await startTestDashboard(market.client, {}, 0, undefined, fills))
  market.sendEth(2500)
  await eventually(async () => expect((await markOf(page, 'up')).length).toBeGreaterThan(0))
  const slider = page.getByRole('slider', { name: 'Time on the chart of ETH' })
  await slider.focus()
  await page.keyboard.press('Home')
  const time = new Date(at).toTimeString().slice(0, 8)
  await eventually(async () => {
    const text = await slider.getAttribute('aria-valuetext')
    expect(text).toContain(`${time} buy 0.50000 at 2,400.0000 USD, position 0.50000`)
  })
})
