// `npm run screenshots`: the pictures of docs/operate/dashboard.md and of a report, in docs/images.
// `npm run screenshots -- folder [state...]`: pictures of each of its states, or of these. Both require `npm run build:page`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import {
  readPageFiles,
  startDashboard,
  type DashboardServer,
} from '../src/dashboard/server/start-dashboard.js'
import { unpackChromium } from '../test/browser/support/unpack-chromium.js'
import { PictureMarket, type Start } from './screenshots/market.js'
import { openFast, slowDown, webpOf, type Look } from './screenshots/page.js'
import { takeReportPicture } from './screenshots/report.js'

const [folder, ...names] = process.argv.slice(2)
mkdirSync(folder ?? 'docs/images', { recursive: true })

const tokens: readonly Start[] = [
  { symbol: 'ETH', usd: 2682.5, decimals: 18 },
  { symbol: 'BTC', usd: 61_685.99, decimals: 8 },
  { symbol: 'SOL', usd: 148.2, decimals: 9 },
  { symbol: 'LINK', usd: 11.43, decimals: 18 },
  { symbol: 'ARB', usd: 0.5321, decimals: 18 },
  { symbol: 'UNI', usd: 7.21, decimals: 18 },
  { symbol: 'GMX', usd: 27.4, decimals: 18 },
  { symbol: 'AAVE', usd: 152.1, decimals: 18 },
  { symbol: 'LDO', usd: 1.12, decimals: 18 },
  { symbol: 'CRV', usd: 0.281, decimals: 18 },
  { symbol: 'MKR', usd: 1534, decimals: 18 },
  { symbol: 'PEPE', usd: 0.0000089, decimals: 18 },
  ...Array.from({ length: 88 }, (_, index) => ({
    symbol: `T${index + 1}`,
    usd: 0.01 * 1.4 ** ((index * 7) % 40),
    decimals: 18,
  })),
]

const desktop = { width: 1440, height: 900 }
const themes = ['dark', 'light'] as const

const files = await readPageFiles()
const browser = await chromium.launch(await unpackChromium())

interface Scene {
  readonly name: string
  readonly count: number
  readonly looks: readonly Look[]
  /** The view of the page, behind `#` of its address. */
  readonly view?: string
  /** The theme of a picture of the guide. */
  readonly readme?: Look['colorScheme']
  readonly hasPast?: true
  /** A script that the page runs first. */
  readonly script?: string
  /** Prepares the market before the page is opened. */
  readonly prepare?: (market: PictureMarket) => void
  /** Causes the state. The picture is taken afterwards. */
  readonly act?: (market: PictureMarket, server: DashboardServer) => Promise<void>
}

const scenes: readonly Scene[] = [
  {
    name: 'live',
    count: 6,
    looks: themes.map((colorScheme) => ({ ...desktop, colorScheme })),
  },
  { name: 'one', count: 1, looks: [{ ...desktop, colorScheme: 'dark' }] },
  { name: 'two', count: 2, looks: [{ ...desktop, colorScheme: 'light' }] },
  {
    name: 'twelve',
    count: 12,
    looks: [
      { width: 1920, height: 1200, colorScheme: 'dark' },
      { width: 390, height: 844, colorScheme: 'light' },
    ],
  },
  {
    name: 'table',
    count: 30,
    looks: [
      { ...desktop, height: 700, colorScheme: 'dark' },
      { ...desktop, colorScheme: 'light' },
      { width: 1024, height: 768, colorScheme: 'light' },
      { width: 390, height: 844, colorScheme: 'dark' },
    ],
    readme: 'dark',
    view: '#layout=table&sort=change&order=descending&pins=0x1111111111111111111111111111111111111111',
    // A change is shown from 10 s on.
    act: () => delay(11_000),
  },
  {
    name: 'states',
    count: 6,
    looks: themes.map((colorScheme) => ({ ...desktop, colorScheme })),
    readme: 'dark',
    prepare: (market) => {
      market.reject('ARB')
      market.failDepth('LINK')
    },
    act: async (market) => {
      market.silence('BTC')
      await delay(12_000)
    },
  },
  {
    name: 'no-prices',
    count: 4,
    looks: [{ ...desktop, colorScheme: 'light' }],
    prepare: (market) => {
      market.wait()
    },
  },
  {
    name: 'connecting',
    count: 2,
    looks: [{ ...desktop, colorScheme: 'dark' }],
    script: 'globalThis.WebSocket = class extends EventTarget { close() {} send() {} }',
  },
  {
    name: 'behind',
    count: 6,
    looks: [
      { ...desktop, colorScheme: 'light' },
      { width: 390, height: 844, colorScheme: 'dark' },
    ],
    act: async (market) => {
      market.fallBehind(5234)
      await delay(6000)
    },
  },
  {
    name: 'past',
    count: 3,
    looks: [{ ...desktop, colorScheme: 'dark' }],
    hasPast: true,
    prepare: (market) => {
      market.reject('SOL')
    },
  },
  {
    name: 'lost',
    count: 6,
    looks: [
      { ...desktop, colorScheme: 'dark' },
      { width: 390, height: 844, colorScheme: 'dark' },
    ],
    act: async (market) => {
      market.disconnect('connect ECONNREFUSED 203.0.113.7:4000')
      await delay(6000)
    },
  },
  {
    name: 'stopped',
    count: 4,
    looks: [{ ...desktop, colorScheme: 'light' }],
    act: async (_market, server) => {
      await server.close()
      await delay(4000)
    },
  },
]

const takePictures = async ({
  name,
  count,
  looks,
  view = '',
  readme,
  hasPast,
  script,
  prepare,
  act,
}: Scene): Promise<void> => {
  const market = new PictureMarket(tokens.slice(0, count), count > 20 ? 250 : 80)
  prepare?.(market)
  const server = await startDashboard(market.client, {
    port: 0,
    closedReason: '',
    files,
    history: hasPast && market.history(),
    config: {
      service: 'svc',
      environment: 'mainnet',
      source: 'prices.example:4000',
      label: 'mainnet',
      tokens: market.tokens,
      depthInterval: 1000,
      staleAfter: 8000,
    },
  })
  const pages = await Promise.all(
    looks.map(async (look) => ({ look, page: await openFast(browser, server.url + view, look, script) })),
  )
  await delay(20_000)
  await Promise.all(pages.map(({ page }) => slowDown(page)))
  await (act?.(market, server) ?? delay(2000))
  for (const { page, look } of pages) {
    const { width, colorScheme } = look
    const own = folder && join(folder, `${name}-${width}-${colorScheme}.webp`)
    const path =
      own ??
      (colorScheme === readme && width === desktop.width ? `docs/images/dashboard-${name}.webp` : undefined)
    if (path !== undefined) writeFileSync(path, await webpOf(browser, await page.screenshot()))
    await page.context().close()
  }
  await server.close()
  await market.close()
}

/** The picture of `dashboard --simulate`, of the command itself. */
const takeCommandPicture = async (): Promise<void> => {
  const args = ['--import', 'tsx', 'src/cli/main.ts', 'dashboard', '--simulate']
  const command = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [address] = (await once(command.stdout, 'data')) as [Buffer]
  const context = await browser.newContext({ viewport: desktop, colorScheme: 'light', timezoneId: 'UTC' })
  const page = await context.newPage()
  await page.goto(String(address).trim())
  // A change is shown from 10 s on.
  await delay(11_000)
  writeFileSync('docs/images/dashboard-live.webp', await webpOf(browser, await page.screenshot()))
  await context.close()
  command.kill('SIGINT')
}

const wanted = scenes.filter(({ name, readme }) =>
  names.length > 0 ? names.includes(name) : folder !== undefined || readme !== undefined,
)
for (const scene of wanted) await takePictures(scene)
if (folder === undefined) {
  await takeCommandPicture()
  await takeReportPicture(browser)
}
await browser.close()
