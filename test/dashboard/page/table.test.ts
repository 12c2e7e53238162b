import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { wbtc, weth } from '../../support/tokens.js'
import { openDashboard, startTestDashboard } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'

/** The table of a page with the prices of two tokens. `hash`: its view. */
const openTable = async (hash: string) => {
  const market = new TestMarket()
  const { url } = await startTestDashboard(market.client)
  const page = await openDashboard({ url: url + hash }, { viewport: { width: 1440, height: 900 } })
  market.sendEth(2500)
  market.sendBtc(60_000)
  await eventually(async () => {
    expect(await cell(page, weth, 'price').textContent()).toBe('2500.0000')
    expect(await cell(page, wbtc, 'price').textContent()).toBe('60000.0000')
  })
  return { market, page }
}

const cell = (page: Page, address: string, column: string): Locator =>
  page.locator(`tr[data-token="${address}"] [data-field="${column}"]`)

/** The symbols of the rows, from the first to the last. */
const symbolsOf = (page: Page): Promise<readonly string[]> => page.getByRole('rowheader').allTextContents()

const expectSymbols = (page: Page, symbols: readonly string[]): Promise<unknown> =>
  eventually(async () => expect(await symbolsOf(page)).toEqual(symbols))

const cardsOf = (page: Page): Promise<readonly string[]> =>
  page.getByRole('article').getByRole('heading').allTextContents()

describe('the table of the dashboard', () => {
  it('has a name, headers of its columns and rows, and all values of a token', async () => {
    const { page } = await openTable('#layout=table')
    expect(await page.getByRole('table', { name: /^Prices/ }).count()).toBe(1)
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Pin',
      'Token',
      'State',
      'Price, USD',
      'Change',
      'Chart',
      'Low',
      'High',
      'Age',
      'Lag',
      'Can buy, USD',
      'Can sell, USD',
      'Alert',
    ])
    expect(await symbolsOf(page)).toEqual(['ETH', 'BTC'])
    expect(await cell(page, weth, 'state').textContent()).toContain('live')
    expect(await cell(page, weth, 'age').textContent()).toMatch(/^\d+ s$/)
    expect(await cell(page, weth, 'lag').textContent()).toMatch(/^\d+ ms$/)
    // For less than a minute, a change would mean little.
    expect(await cell(page, weth, 'change').textContent()).toBe('\u2013')
    expect(await cell(page, weth, 'low').textContent()).toBe('2500.0000')
    expect(await cell(page, weth, 'high').textContent()).toBe('2500.0000')
    await eventually(async () => expect(await cell(page, wbtc, 'buy').textContent()).not.toBe('\u2013'))
    expect(await page.getByRole('article').count()).toBe(0)
  })

  it('is sorted by its headers, which the keyboard reaches, and says by which one', async () => {
    const { page } = await openTable('#layout=table')
    const header = page.getByRole('columnheader', { name: 'Price, USD' })
    await header.getByRole('button').focus()
    await page.keyboard.press('Enter')
    await expectSymbols(page, ['BTC', 'ETH'])
    expect(await header.getAttribute('aria-sort')).toBe('descending')
    await page.keyboard.press('Space')
    await expectSymbols(page, ['ETH', 'BTC'])
    expect(await header.getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('symbol')
    await expectSymbols(page, ['BTC', 'ETH'])
    expect(await page.locator('[aria-sort]').allTextContents()).toEqual(['Token'])
  })

  it('sorts its rows again each second, but not under the pointer', async () => {
    const { market, page } = await openTable('#layout=table&sort=price&order=descending')
    await expectSymbols(page, ['BTC', 'ETH'])
    await cell(page, weth, 'price').hover()
    market.sendEth(70_000)
    await eventually(async () => expect(await cell(page, weth, 'price').textContent()).toBe('70000.0000'))
    // The next tick of the page has passed when the age has changed twice.
    await eventually(async () => expect(await cell(page, weth, 'age').textContent()).toBe('2 s'))
    expect(await symbolsOf(page)).toEqual(['BTC', 'ETH'])
    await page.getByRole('searchbox').hover()
    await expectSymbols(page, ['ETH', 'BTC'])
  })

  it('shows pinned tokens first, with their cards beside it, and keeps the focus', async () => {
    const { page } = await openTable('#layout=table')
    await page.getByRole('button', { name: 'Pin BTC' }).press('Enter')
    await expectSymbols(page, ['BTC', 'ETH'])
    expect(await cardsOf(page)).toEqual(['BTC'])
    const pin = page.getByRole('row', { name: 'BTC' }).getByRole('button', { name: 'Pin BTC' })
    expect(await pin.getAttribute('aria-pressed')).toBe('true')
    // The focus moves with the row, and from a card that is gone to its row.
    const hasFocus = () => pin.evaluate((element) => element === document.activeElement)
    expect(await hasFocus()).toBe(true)
    await page.getByRole('article').getByRole('button', { name: 'Pin BTC' }).press('Enter')
    await expectSymbols(page, ['ETH', 'BTC'])
    expect(await cardsOf(page)).toEqual([])
    expect(await hasFocus()).toBe(true)
  })

  it('shows a price that is not current unlike one that is', async () => {
    const { market, page } = await openTable('#layout=table')
    const lookOf = () =>
      cell(page, weth, 'price').evaluate((element) => {
        const { color, textDecorationLine } = getComputedStyle(element)
        return [color, textDecorationLine]
      })
    const current = await lookOf()
    market.disconnect('reset')
    await eventually(async () => expect(await cell(page, weth, 'state').textContent()).toContain('down'))
    expect((await lookOf())[0]).not.toBe(current[0])
    expect((await lookOf())[1]).toBe('underline')
  })
})

describe('the view of the dashboard', () => {
  it('is in the address of the page: it survives a reload, and follows a change of the address', async () => {
    const { page } = await openTable('#layout=table')
    await page.getByRole('searchbox', { name: 'Filter by symbol or address' }).fill('btc')
    await expectSymbols(page, ['BTC'])
    expect(await page.getByText('1 of 2 tokens').count()).toBe(1)
    await page.getByRole('button', { name: 'Pin BTC' }).click()
    await eventually(() => page.url().endsWith(`#layout=table&filter=btc&pins=${wbtc}`))
    await page.reload()
    await expectSymbols(page, ['BTC'])
    expect(await cardsOf(page)).toEqual(['BTC'])
    await page.evaluate(() => (location.hash = '#filter=eth'))
    await eventually(async () => expect(await cardsOf(page)).toEqual(['ETH']))
    expect(await page.getByRole('searchbox').inputValue()).toBe('eth')
    expect(await page.getByRole('table').isVisible()).toBe(false)
  })

  it('says that no token matches a filter', async () => {
    const { page } = await openTable('#layout=table')
    await page.getByRole('searchbox').fill('none')
    await page.getByText('No token matches the filter.').waitFor()
    expect(await symbolsOf(page)).toEqual([])
  })
})
