import { chromium, type BrowserContextOptions, type Locator, type Page } from 'playwright-core'
import type { PriceClient } from 'svc-streams'
import type { History } from 'svc-streams/history'
import { inject, onTestFinished } from 'vitest'
import type { PageConfig } from '../../../src/view/served.js'
import type { JournalFills } from '../../../src/dashboard/server/journal-fills.js'
import { startDashboard, type DashboardServer } from '../../../src/dashboard/server/start-dashboard.js'
import { pageFiles } from './page-files.js'
import { config } from './tokens.js'

/** Starts a dashboard. Closes it after the test. */
export const startTestDashboard = async (
  client: PriceClient,
  changes: Partial<PageConfig> = {},
  port = 0,
  history?: History,
  fills?: JournalFills,
): Promise<DashboardServer> => {
  const dashboard = await startDashboard(client, {
    port,
    closedReason: 'the client is closed',
    files: await pageFiles(),
    config: { ...config, ...changes },
    history,
    fills,
  })
  onTestFinished(() => dashboard.close())
  return dashboard
}

/** Opens a page in a browser context of its own. Closes it after the test. */
export const openDashboard = async (
  { url }: Pick<DashboardServer, 'url'>,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<Page> => {
  const browser = await chromium.connect(inject('chromium'))
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext(options)).newPage()
  await prepare(page)
  await page.goto(url)
  return page
}

/** The element of a value of a card. */
export const field = (page: Page, address: string, name: string): Locator =>
  page.locator(`[data-token="${address}"] [data-field="${name}"]`)

/** The value of a card. */
export const valueOf = async (page: Page, address: string, name: string): Promise<string> =>
  ((await field(page, address, name).textContent()) ?? '').trim()

/** The state of the connection. */
export const connectionOf = async (page: Page): Promise<string> =>
  ((await page.locator('[data-field="connection"]').textContent()) ?? '').trim()

/** The texts of the event log, the newest first. */
export const logOf = async (page: Page): Promise<readonly string[]> =>
  (await page.locator('[role="log"] li > span').allTextContents()).map((text) =>
    text.replace(/\s+/g, ' ').trim(),
  )
