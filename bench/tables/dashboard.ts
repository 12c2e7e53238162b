import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium, type Browser } from 'playwright-core'
import { PictureMarket } from '../../scripts/screenshots/market.js'
import { openFast, slowDown } from '../../scripts/screenshots/page.js'
import { readPageFiles, startDashboard, type PageFiles } from '../../src/dashboard/serve/start-dashboard.js'
import { unpackChromium } from '../../test/browser/support/unpack-chromium.js'
import { buildPage } from '../../scripts/page/build-page.js'
import { pageCpu, type PageCpu } from '../browser/page-cpu.js'
import { spreadOf } from '../measure/statistics.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

/** The figures are quartiles: fewer windows would make them meaningless. */
const windows = 5

const tokenCounts = [10, 50]

/** Time between two prices of a token, in ms. */
const tick = 100

/** Time in which the fast clock of the page fills a chart of five minutes, in ms. */
const fillTime = 26_000

const look = { width: 1440, height: 900, colorScheme: 'dark' } as const

/** The share of one core that the page of the dashboard takes. */
export const dashboardPage = async ({ observationMs, quick }: Settings): Promise<Section> => {
  const windowMs = quick ? observationMs : 5_000
  const files = await buildFiles()
  const browser = await chromium.launch(await unpackChromium())
  const rows: (readonly string[])[] = []
  for (const tokens of tokenCounts) {
    const measured = await measure(browser, files, { tokens, windowMs, fillMs: quick ? 1_000 : fillTime })
    const percent = (name: keyof PageCpu) => formatSpread(spreadOf(measured.map((value) => value[name])))
    rows.push([String(tokens), percent('scripts'), percent('tasks')])
    process.stderr.write(` ${tokens}`)
  }
  process.stderr.write('\n')
  const version = browser.version()
  await browser.close()
  return {
    title: 'The page of the dashboard',
    method: `CPU of the page's main thread in Chromium ${version}, in percent of one core, with ${1000 / tick} prices a second of each token, depth every second and charts of five minutes, in a window of ${look.width} by ${look.height} pixels. ${windows} windows of ${windowMs / 1000} s. Bound: scripts take less than 5 % with 10 tokens.`,
    columns: ['Tokens', 'scripts, %', 'scripts, style, layout and paint, %'],
    rows,
  }
}

const buildFiles = async (): Promise<PageFiles> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-streams-page-'))
  try {
    await buildPage(folder)
    return await readPageFiles(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Load {
  readonly tokens: number
  readonly windowMs: number
  readonly fillMs: number
}

const measure = async (
  browser: Browser,
  files: PageFiles,
  { tokens, windowMs, fillMs }: Load,
): Promise<readonly PageCpu[]> => {
  const starts = Array.from({ length: tokens }, (_, index) => ({
    symbol: `T${index + 1}`,
    usd: 0.01 * 1.4 ** (index % 40),
    decimals: 18,
  }))
  const market = new PictureMarket(starts, tick)
  const config = {
    service: 'svc',
    environment: 'mainnet',
    source: 'benchmark',
    tokens: market.tokens,
    depthInterval: 1000,
    staleAfter: 30_000,
  } as const
  const server = await startDashboard(market.client, { port: 0, closedReason: '', files, config })
  const page = await openFast(browser, server.url, look)
  await delay(fillMs)
  await slowDown(page)
  await page.waitForFunction(`document.querySelectorAll('[data-state="live"]').length === ${tokens}`)
  const measured = await pageCpu(page, windows, windowMs)
  await page.context().close()
  await server.close()
  await market.close()
  return measured
}
