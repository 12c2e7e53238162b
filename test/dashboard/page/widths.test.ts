import { writeFileSync } from 'node:fs'
import { left, right } from 'fp-ts/lib/Either.js'
import { concat, NEVER, of } from 'rxjs'
import type { Locator, Page } from 'playwright-core'
import type { Address, Topic } from 'svc-streams'
import { createTestClient, depth, price, timeout } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import { journalLines } from '../../../src/backtest/account/journal/journal.js'
import { JournalFills } from '../../../src/dashboard/server/journal-fills.js'
import { newFolder } from '../../support/new-folder.js'
import { eventually } from '../../support/time/eventually.js'
import { filled, savedState } from '../support/journal.js'
import { openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'

const widths = [320, 360, 390, 480, 600, 700, 768, 1024, 1440, 1920]

const prices = [
  123_456_789.1234, 61_726.005, 2682.505, 148.2, 27.4, 11.43, 1.12, 0.5321, 0.01, 0.00000892, 1.5e-12, 1e15,
]

const tokens = prices.map((usd, index) => ({
  address: `0x${String(index + 10).repeat(20)}` satisfies Address,
  symbol: index === 3 ? 'A-LONG-SYMBOL-OF-A-TOKEN' : `T${index}`,
  decimals: 18,
  usd,
}))

const market = () =>
  createTestClient({
    prices: Object.fromEntries(
      tokens.map(({ address, usd }) => {
        const topic: Topic = `svc-${address}`
        return [topic, concat(of(right(price(topic, usd))), NEVER)]
      }),
    ),
    depths: Object.fromEntries(
      tokens.map(({ address, usd }) => {
        const side = { totalQuantity: BigInt(Math.ceil(1e21 / usd)), totalQuantityUsd: 1000 * usd }
        return [address, concat(of(right(depth(address, { buy: side, sell: side }))), NEVER)]
      }),
    ),
    stamp: true,
  })

/** The fields that are cut: by themselves, by an element around them, or by the window. */
const cutFields = (page: Page): Promise<readonly string[]> =>
  page.locator('[data-field], .amount, .quantity, .log:first-child li > span').evaluateAll((elements) =>
    elements
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect()
        if (width === 0) return false
        // A text for screen readers alone is cut to a pixel.
        if (getComputedStyle(element).clipPath !== 'none') return false
        if (element.clientWidth > 0 && element.scrollWidth > element.clientWidth) return true
        if (element.clientHeight > 0 && element.scrollHeight > element.clientHeight) return true
        if (left < 0 || right > innerWidth + 0.5) return true
        for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
          const box = outer.getBoundingClientRect()
          if (getComputedStyle(outer).overflowX === 'visible') continue
          if (left < box.left - 0.5 || right > box.right + 0.5) return true
        }
        return false
      })
      .map(
        (element) =>
          `${element.getAttribute('data-field') ?? element.classList.value}: ${element.textContent}`,
      ),
  )

/** The number of lines of each text. */
const linesOf = (texts: Locator): Promise<readonly number[]> =>
  texts.filter({ visible: true }).evaluateAll((elements) =>
    elements.map((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size
    }),
  )

test.each(['table', 'cards'])(
  'no value and no fill of twelve very different tokens is cut at any width, as %s',
  async (layout) => {
    const journal = `${newFolder()}/desk.ndjson`
    const ofAll = tokens.map(({ symbol, usd }) => filled(symbol, 'sell', BigInt(Math.ceil(1e21 / usd)), usd))
    writeFileSync(journal, journalLines(ofAll, savedState))
    const fills = new JournalFills(journal, tokens)
    const { url } = await startTestDashboard(market(), { tokens }, 0, undefined, fills)
    const page = await openDashboard({ url: layout === 'table' ? url : `${url}#layout=${layout}` })
    await eventually(async () => {
      for (const { address, usd } of tokens)
        expect(Number(await valueOf(page, address, 'price'))).toBeCloseTo(usd, 9)
    })
    await page.getByRole('button', { name: 'Fills' }).click()
    await eventually(async () => expect(await page.locator('.log:first-child li').count()).toBe(12))
    // More than eight tokens are a table, unless the address says otherwise.
    expect(await page.getByRole('table').isVisible()).toBe(layout === 'table')
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 })
      await eventually(async () => expect([width, await cutFields(page)]).toEqual([width, []]))
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      for (const name of ['symbol', 'price']) {
        const shown = page.locator(`[data-token] [data-field="${name}"]`)
        expect([width, name, await shown.filter({ visible: true }).count()]).toEqual([width, name, 12])
      }
      // A long symbol is broken only where it has no room.
      const mostLines = Math.max(...(await linesOf(page.locator('[data-field="symbol"]'))))
      if (width >= 390)
        expect([width, mostLines]).toEqual([width, layout === 'cards' || width >= 1440 ? 1 : 2])
      const quantities = await page.locator('.quantity').filter({ visible: true }).allTextContents()
      for (const quantity of quantities) expect(quantity).not.toMatch(/\de\d/)
      const top = await page.locator('header.top').boundingBox()
      expect(top?.height).toBeLessThan(0.12 * 844)
      // One scale: both bars of a depth have the same place.
      const bars = page.locator('.bar').filter({ visible: true })
      const places = await bars.evaluateAll((all) =>
        all.map((bar) => `${bar.getBoundingClientRect().left} ${bar.getBoundingClientRect().width}`),
      )
      for (const [index, place] of places.entries()) expect(place).toBe(places[index - (index % 2)])
      // A narrow table has alerts too.
      const alerts = page.getByRole('button', { name: /^Alert for/ })
      expect(await alerts.filter({ visible: true }).count()).toBe(12)
    }
  },
)

test.each([
  [768, 6, [2, 2, 2]],
  [768, 4, [2, 2]],
  [1440, 6, [3, 3]],
  [1920, 6, [3, 3]],
  [1920, 8, [4, 4]],
])('the cards of a page of %d pixels with %d tokens are in rows of %j', async (width, count, rows) => {
  const { url } = await startTestDashboard(market(), { tokens: tokens.slice(0, count) })
  const page = await openDashboard({ url }, { viewport: { width, height: 900 } })
  await eventually(async () => expect(await page.locator('article').count()).toBe(count))
  const tops = await page
    .locator('article')
    .evaluateAll((cards) => cards.map((each) => Math.round(each.getBoundingClientRect().top)))
  expect([...new Set(tops)].map((top) => tops.filter((each) => each === top).length)).toEqual(rows)
})

test('a phone shows the title, the status, the order and the theme', async () => {
  const { url } = await startTestDashboard(market(), { tokens })
  const page = await openDashboard({ url }, { viewport: { width: 390, height: 844 } })
  const shown = [
    page.getByRole('heading', { level: 1 }),
    page.locator('[data-field="connection"]'),
    page.getByRole('combobox', { name: 'Sort' }),
    page.getByRole('button', { name: 'Theme' }),
  ]
  for (const each of shown) {
    // The page is shown before the state of the connection is known.
    await eventually(() => expect(each.innerText()).resolves.not.toBe(''))
    const box = await each.boundingBox()
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 390, String(each)).toBe(true)
  }
})

test('a phone shows what is not current in place of a good connection', async () => {
  const [{ address, usd } = { address: '0xab', usd: 1 } as const] = tokens
  const topic: Topic = `svc-${address}`
  const client = createTestClient({
    prices: { [topic]: concat(of(right(price(topic, usd))), NEVER) },
    depths: { [address]: concat(of(left(timeout(5000))), NEVER) },
    stamp: true,
  })
  const { url } = await startTestDashboard(client, { tokens: tokens.slice(0, 1) })
  const page = await openDashboard({ url }, { viewport: { width: 390, height: 844 } })
  const shown = page.getByRole('status').getByText('no depth is current')
  await eventually(async () => expect(await shown.isVisible()).toBe(true))
  expect(await page.locator('[data-field="connection"]').isVisible()).toBe(false)
})
