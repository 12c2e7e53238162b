import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { logOf, openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'
import { eth } from '../support/tokens.js'

const title = 'Live prices · svc-streams'

const openPage = async () => {
  const market = new TestMarket()
  const server = await startTestDashboard(market.client, { tokens: [eth] })
  const page = await openDashboard(server)
  market.sendEth(2500)
  const side = { totalQuantity: 1n, totalQuantityUsd: 1 }
  market.sendDepth(side, side)
  await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe('2500.0000'))
  return { server, market, page }
}

const openDialog = async (page: Page) => {
  await page.getByRole('button', { name: /^Alert for ETH/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Alert for ETH' })
  await dialog.waitFor()
  return dialog
}

const setAbove = async (page: Page, text: string): Promise<void> => {
  const dialog = await openDialog(page)
  await dialog.getByLabel('At or above, USD').fill(text)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

describe('a threshold of the dashboard', () => {
  it('is shown in the title, the card and the event log while it is reached, and survives a reload', async () => {
    const { market, page } = await openPage()
    const button = page.getByRole('button', { name: /^Alert for ETH/ })
    // By keyboard alone.
    await button.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('2600')
    await page.keyboard.press('Enter')
    await eventually(async () => expect(await button.textContent()).toBe('≥\u00a02600'))
    expect(await page.title()).toBe(title)
    market.sendEth(2600)
    await eventually(async () => expect(await page.title()).toBe(`ETH above 2600 USD · ${title}`))
    // The title changes at once, the rest of the page in its next frame.
    await eventually(async () => {
      expect(await button.textContent()).toBe('≥\u00a02600 reached')
      expect((await logOf(page))[0]).toBe('ETH: the price is above 2600 USD.')
    })
    await page.reload()
    await eventually(async () => expect(await page.title()).toBe(`ETH above 2600 USD · ${title}`))
    market.sendEth(2590)
    await eventually(async () => expect(await page.title()).toBe(title))
    const dialog = await openDialog(page)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.reload()
    await eventually(async () => expect(await button.textContent()).toBe(''))
  })

  it('can be changed if it is very small', async () => {
    const { page } = await openPage()
    await setAbove(page, '0.00000085')
    const dialog = await openDialog(page)
    expect(await dialog.getByLabel('At or above, USD').inputValue()).toBe('0.00000085')
    await dialog.getByLabel('At or below, USD').fill('0.00000075')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
  })

  it('is set beside the current price', async () => {
    const { market, page } = await openPage()
    const dialog = await openDialog(page)
    const now = () => dialog.locator('.now').textContent()
    expect(await now()).toBe('2,500.0000 USD')
    market.sendEth(2510)
    await eventually(async () => expect(await now()).toBe('2,510.0000 USD'))
    market.disconnect('reset')
    await eventually(async () => expect(await now()).toBe('2,510.0000 USD, down'))
  })

  it('can be copied from the page, and refuses a comma that may be a decimal one', async () => {
    const { page } = await openPage()
    const dialog = await openDialog(page)
    const above = dialog.getByLabel('At or above, USD')
    const isRefused = (): Promise<boolean> =>
      above.evaluate((input: HTMLInputElement) => input.validity.patternMismatch)
    for (const text of ['2,700', '2700,5', '1.2.3', '-e']) {
      await above.fill(text)
      await dialog.getByRole('button', { name: 'Save' }).click()
      expect([await isRefused(), await dialog.isVisible()]).toEqual([true, true])
    }
    await above.fill('61,726.0050')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await eventually(async () =>
      expect(await page.getByRole('button', { name: /^Alert for ETH/ }).textContent()).toContain('61726.005'),
    )
  })

  it('is not reached while the price is not current', async () => {
    const { market, page } = await openPage()
    const button = page.getByRole('button', { name: /^Alert for ETH/ })
    const marked = page.locator('[data-reached="true"]')
    await setAbove(page, '2400')
    await eventually(async () => expect(await page.title()).toBe(`ETH above 2400 USD · ${title}`))
    await eventually(async () => expect(await marked.count()).toBe(1))
    market.fallBehind(5234)
    await eventually(async () => expect(await page.title()).toBe(`behind · ${title}`))
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('stale'))
    expect(await marked.count()).toBe(0)
    expect(await button.textContent()).toBe('≥\u00a02400')
    await page.getByRole('button', { name: 'Table' }).click()
    await page.locator(`tr[data-token="${weth}"][data-state="stale"]`).waitFor()
    expect(await marked.count()).toBe(0)
    market.catchUp()
    await eventually(async () => {
      market.sendEth(2501)
      expect(await page.title()).toBe(`ETH above 2400 USD · ${title}`)
    })
    await page.locator(`tr[data-token="${weth}"][data-reached="true"]`).waitFor()
  })

  it('is not saved if it is no price, or if both cannot be', async () => {
    const { page } = await openPage()
    const dialog = await openDialog(page)
    const above = dialog.getByLabel('At or above, USD')
    for (const prices of [
      ['0', '2400'],
      ['2400', '2500'],
    ] as const) {
      await above.fill(prices[0])
      await dialog.getByLabel('At or below, USD').fill(prices[1])
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByRole('alert').getByText('A price must be above 0').waitFor()
      expect(await dialog.isVisible()).toBe(true)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.getByRole('button', { name: 'Alert for ETH', exact: true }).count()).toBe(1)
  })
})

describe('the title of a hidden page', () => {
  /** A browser has no animation frames for a hidden page. */
  const stopFrames = (page: Page): Promise<unknown> =>
    page.evaluate(() => {
      globalThis.requestAnimationFrame = () => 0
    })

  it('shows that a threshold is reached, and that its price is no longer current', async () => {
    const { market, page } = await openPage()
    await setAbove(page, '2600')
    await stopFrames(page)
    market.sendEth(2601)
    await eventually(async () => expect(await page.title()).toBe(`ETH above 2600 USD · ${title}`))
    market.sendEth(2590)
    await eventually(async () => expect(await page.title()).toBe(title))
    market.sendEth(2601)
    await eventually(async () => expect(await page.title()).toBe(`ETH above 2600 USD · ${title}`))
    market.disconnect('connection refused')
    await eventually(async () => expect(await page.title()).toBe(`service lost · ${title}`))
    market.connect()
    market.sendEth(2601)
    await eventually(async () => expect(await page.title()).toBe(`ETH above 2600 USD · ${title}`))
  })

  it('begins with the stop of the dashboard, until it is started again', async () => {
    const { server, market, page } = await openPage()
    await setAbove(page, '2400')
    await stopFrames(page)
    await eventually(async () => expect(await page.title()).toBe(`ETH above 2400 USD · ${title}`))
    await server.close()
    await eventually(async () => expect(await page.title()).toBe(`dashboard stopped · ${title}`))
    await startTestDashboard(market.client, { tokens: [eth] }, Number(new URL(server.url).port))
    await eventually(async () => expect(await page.title()).toBe(`ETH above 2400 USD · ${title}`))
  })
})
