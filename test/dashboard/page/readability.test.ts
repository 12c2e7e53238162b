import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { logOf, openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'
import { config } from '../support/tokens.js'

const phone = { width: 390, height: 844 }

/** The contrast of each text of the page with its background, by WCAG 2. */
const contrasts = (page: Page): Promise<readonly (readonly [text: string, contrast: number])[]> =>
  page.evaluate(() => {
    const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (colour: string) => {
      const [r = 0, g = 0, b = 0] = channels(colour).map((value) => {
        const share = value / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const backgroundOf = (element: Element | null): string => {
      if (element === null) return 'rgb(255, 255, 255)'
      const { backgroundColor } = getComputedStyle(element)
      return channels(backgroundColor)[3] === 0 ? backgroundOf(element.parentElement) : backgroundColor
    }
    const texts = [...document.querySelectorAll('body *')].filter((element) =>
      [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== ''),
    )
    return texts.map((element) => {
      const levels = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))]
      const [dark = 0, light = 0] = levels.sort((a, b) => a - b)
      return [element.textContent, (light + 0.05) / (dark + 0.05)] as const
    })
  })

/** The width that the page needs, in CSS pixels. */
const widthOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth)

describe('the page of the dashboard', () => {
  it('has a title, a language, and a name for each card, chart and list', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    expect(await page.title()).not.toBe('')
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    for (const { symbol } of config.tokens) {
      expect(await page.getByRole('article', { name: symbol, exact: true }).count()).toBe(1)
    }
    const chart = page.getByRole('article', { name: 'ETH' }).getByRole('img')
    await eventually(async () =>
      expect(await chart.getAttribute('aria-label')).toMatch(/^Chart: lowest 2,500/),
    )
    expect(await page.getByRole('log', { name: 'Events' }).count()).toBe(1)
    expect(await page.getByRole('status').textContent()).toContain('connected')
  })

  it('has an event log that the keyboard reaches, and opens', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client))
    await eventually(async () => expect((await logOf(page)).length).toBe(1))
    market.disconnect('reset')
    await eventually(async () => expect((await logOf(page)).length).toBe(2))
    const entries = page.getByRole('log').locator('li')
    const visible = async () => Promise.all((await entries.all()).map((entry) => entry.isVisible()))
    expect(await visible()).toEqual([true, false])
    const events = page.getByRole('button', { name: 'Events' })
    await events.focus()
    await page.keyboard.press('Enter')
    expect(await events.getAttribute('aria-expanded')).toBe('true')
    expect(await visible()).toEqual([true, true])
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('log')
  })

  it.each(['dark', 'light'] as const)(
    'has texts with a contrast of at least 4.5 (%s)',
    async (colorScheme) => {
      const market = new TestMarket()
      const dashboard = await startTestDashboard(market.client, { staleAfter: 300 })
      const page = await openDashboard(dashboard, { colorScheme })
      const expectContrasts = async () => {
        const all = await contrasts(page)
        expect(all.length).toBeGreaterThan(20)
        expect(all.filter(([, contrast]) => contrast < 4.5)).toEqual([])
      }
      await eventually(async () => {
        // A check may come later than `staleAfter`.
        market.sendEth(2500)
        expect(await valueOf(page, weth, 'state')).toBe('live')
      })
      await expectContrasts()
      await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('stale'))
      await expectContrasts()
      market.disconnect('reset')
      await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('down'))
      await expectContrasts()
      await page.getByRole('button', { name: 'Table' }).click()
      await page.getByRole('button', { name: 'Pin ETH' }).click()
      await page.getByRole('article', { name: 'ETH' }).waitFor()
      await expectContrasts()
      await page.getByRole('button', { name: 'Alert for BTC' }).click()
      await page.getByRole('dialog').waitFor()
      await expectContrasts()
    },
  )

  it('has a switch between dark and light, which is kept after a reload', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client), { colorScheme: 'dark' })
    const backgroundOf = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const button = page.getByRole('button', { name: 'Theme' })
    await button.waitFor()
    const dark = await backgroundOf()
    await button.click()
    const light = await backgroundOf()
    expect(light).not.toBe(dark)
    await page.reload()
    await button.waitFor()
    expect(await backgroundOf()).toBe(light)
    // The theme of the system is followed again.
    await button.click()
    expect(await backgroundOf()).toBe(dark)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await backgroundOf()).toBe(light)
  })

  it('keeps the shape of a state with forced colours', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client), { forcedColors: 'active' })
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    const [mark, card] = await page.locator(`[data-token="${weth}"]`).evaluate((element) => {
      const backgroundOf = (part: Element | null) =>
        part === null ? 'none' : getComputedStyle(part).backgroundColor
      return [backgroundOf(element.querySelector('.mark')), backgroundOf(element)]
    })
    expect(mark).not.toBe(card)
  })

  it('fits a phone, also with long values', async () => {
    const market = new TestMarket()
    const tokens = [{ ...config.tokens[0]!, symbol: 'A-VERY-LONG-SYMBOL-OF-A-TOKEN-WITHOUT-SPACES' }]
    const dashboard = await startTestDashboard(market.client, { tokens, source: 'x'.repeat(80) })
    const page = await openDashboard(dashboard, { viewport: phone })
    const huge = { totalQuantity: 10n ** 40n, totalQuantityUsd: 1e30 }
    market.sendEth(123_456_789.1234)
    market.sendDepth(huge, huge)
    await eventually(async () => expect(await valueOf(page, weth, 'buy')).toBe('1e30'))
    market.disconnect('a reason '.repeat(20))
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('down'))
    expect(await widthOf(page)).toBe(phone.width)
    const cut = await page.locator('[data-field]').evaluateAll((elements) =>
      elements
        .filter((element) => {
          const { left, right } = element.getBoundingClientRect()
          return left < 0 || right > innerWidth
        })
        .map((element) => element.textContent),
    )
    expect(cut).toEqual([])
  })

  it('fits a phone as a table too', async () => {
    const market = new TestMarket()
    const tokens = [{ ...config.tokens[0]!, symbol: 'A-VERY-LONG-SYMBOL-OF-A-TOKEN-WITHOUT-SPACES' }]
    const { url } = await startTestDashboard(market.client, { tokens })
    const page = await openDashboard({ url: `${url}#layout=table&pins=${weth}` }, { viewport: phone })
    market.sendEth(123_456_789.1234)
    const price = page.getByRole('cell', { name: '123,456,789.1234' })
    await price.waitFor()
    expect(await widthOf(page)).toBe(phone.width)
    await page
      .getByRole('row')
      .getByRole('button', { name: /^Alert for A-/ })
      .click()
    await page.getByRole('dialog').waitFor()
    expect(await widthOf(page)).toBe(phone.width)
  })
})
