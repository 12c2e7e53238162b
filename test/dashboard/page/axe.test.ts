import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { httpError, subscriptionRejected } from '../../../src/base/errors/constructors.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, wbtc, weth } from '../../support/tokens.js'
import { violationsOf } from '../support/axe.js'
import { connectionOf, openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'

// What axe-core, a suite of others, finds on the page in each state.

const expectState = (page: Page, address: string, state: string): Promise<unknown> =>
  eventually(async () => expect(await valueOf(page, address, 'state')).toBe(state))

const states: readonly [string, (page: Page, market: TestMarket) => Promise<unknown>][] = [
  [
    'live and waiting',
    async (page, market) => {
      market.sendEth(2500)
      await expectState(page, weth, 'live')
    },
  ],
  [
    'behind',
    async (page, market) => {
      market.sendEth(2500)
      await expectState(page, weth, 'live')
      market.fallBehind(5234)
      await expectState(page, weth, 'stale')
    },
  ],
  [
    'down',
    async (page, market) => {
      market.sendEth(2500)
      await expectState(page, weth, 'live')
      market.disconnect('connection refused')
      await expectState(page, weth, 'down')
    },
  ],
  [
    'rejected, and without depth',
    async (page, market) => {
      await expectState(page, wbtc, 'rejected')
      market.failDepth(httpError(429, 'too many requests', undefined))
      await eventually(async () => expect(await valueOf(page, weth, 'buy')).toBe('HTTP 429'))
    },
  ],
  [
    'with open events',
    async (page, market) => {
      await eventually(async () => expect(await connectionOf(page)).toBe('connected'))
      market.disconnect('reset')
      await page.getByRole('button', { name: 'Events' }).click()
    },
  ],
  [
    'with the dialog of an alert',
    async (page, market) => {
      market.sendEth(2500)
      await expectState(page, weth, 'live')
      await page.getByRole('article', { name: 'ETH' }).getByRole('button', { name: /alert/i }).click()
      await eventually(async () => expect(await page.getByRole('dialog').count()).toBe(1))
    },
  ],
]

const looks: readonly [string, BrowserContextOptions][] = [
  ['dark', { colorScheme: 'dark' }],
  ['light, on a phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['in forced colours', { forcedColors: 'active' }],
]

describe.each(looks)('the page of the dashboard, %s', (_, options) => {
  it.each(states)('has no violation that axe-core finds: %s', async (state, reach) => {
    const market = new TestMarket()
    if (state.startsWith('rejected')) market.failBtc(subscriptionRejected(btcTopic, 'Unsupported token pair'))
    const page = await openDashboard(await startTestDashboard(market.client), options)
    await reach(page, market)
    expect(await violationsOf(page)).toEqual([])
  })

  it('has no violation that axe-core finds: as a table', async () => {
    const market = new TestMarket()
    const { url } = await startTestDashboard(market.client)
    const page = await openDashboard({ url: `${url}#layout=table` }, options)
    market.sendEth(2500)
    await eventually(async () =>
      expect(await page.locator(`tr[data-token="${weth}"] [data-field="state"]`).textContent()).toContain(
        'live',
      ),
    )
    expect(await violationsOf(page)).toEqual([])
  })
})
