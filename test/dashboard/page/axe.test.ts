import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { httpError, subscriptionRejected } from '../../../src/base/errors/constructors.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, wbtc, weth } from '../../support/tokens.js'
import { violationsOf } from '../support/axe.js'
import { openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'

// What axe-core, a suite of others, finds on the page in each state.

const expectState = (page: Page, address: string, state: string): Promise<unknown> =>
  eventually(async () => expect(await valueOf(page, address, 'state')).toBe(state))

/** The steps of a page, each with the state that it leads to. */
const steps: readonly [string, (page: Page, market: TestMarket) => Promise<unknown>][] = [
  ['waiting, and rejected', (page) => expectState(page, wbtc, 'rejected')],
  [
    'live',
    async (page, market) => {
      market.sendEth(2500)
      await expectState(page, weth, 'live')
    },
  ],
  [
    'with the dialog of an alert',
    async (page) => {
      await page.getByRole('article', { name: 'ETH' }).getByRole('button', { name: /alert/i }).click()
      await eventually(async () => expect(await page.getByRole('dialog').count()).toBe(1))
    },
  ],
  [
    'without depth',
    async (page, market) => {
      await page.keyboard.press('Escape')
      market.failDepth(httpError(429, 'too many requests', undefined))
      await eventually(async () => expect(await valueOf(page, weth, 'buy')).toBe('HTTP 429'))
    },
  ],
  [
    'as a table',
    async (page, market) => {
      market.sendEth(2500)
      await page.evaluate(() => (location.hash = 'layout=table'))
      await eventually(async () =>
        expect(await page.locator(`tr[data-token="${weth}"] [data-field="state"]`).textContent()).toContain(
          'live',
        ),
      )
    },
  ],
  [
    'behind',
    async (page, market) => {
      await page.evaluate(() => (location.hash = ''))
      market.fallBehind(5234)
      await expectState(page, weth, 'stale')
    },
  ],
  [
    'down',
    async (page, market) => {
      market.disconnect('connection refused')
      await expectState(page, weth, 'down')
    },
  ],
  ['with open events', (page) => page.getByRole('button', { name: 'Events' }).click()],
]

const looks: readonly [string, BrowserContextOptions][] = [
  ['dark', { colorScheme: 'dark' }],
  ['light, on a phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['in forced colours', { forcedColors: 'active' }],
]

it.each(looks)('axe-core finds no violation on a page, %s', async (_, options) => {
  const market = new TestMarket()
  market.failBtc(subscriptionRejected(btcTopic, 'Unsupported token pair'))
  const page = await openDashboard(await startTestDashboard(market.client), options)
  for (const [state, reach] of steps) {
    await reach(page, market)
    expect(await violationsOf(page), state).toEqual([])
  }
})
