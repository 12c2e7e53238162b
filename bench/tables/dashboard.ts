import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium, type Browser, type Page } from 'playwright-core'
import { PictureMarket } from '../../scripts/screenshots/market.js'
import { openFast, slowDown } from '../../scripts/screenshots/page.js'
import { readPageFiles, startDashboard, type PageFiles } from '../../src/dashboard/server/start-dashboard.js'
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

const deskTokens = 100

const shownMinutes = [1, 2, 5]

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

/** A page that is watched all day: what it costs must not grow. */
export const dashboardDesk = async ({ quick }: Settings): Promise<Section> => {
  const minuteMs = quick ? 1_000 : 60_000
  const files = await buildFiles()
  const browser = await chromium.launch(await unpackChromium())
  const desk = await open(browser, files, deskTokens, '#layout=table')
  await slowDown(desk.page)
  await desk.page.evaluate(countFrames)
  const session = await desk.page.context().newCDPSession(desk.page)
  const rows: (readonly string[])[] = []
  for (let minute = 1; minute <= Math.max(...shownMinutes); minute++) {
    const before = Number(await desk.page.evaluate('frames'))
    const [cpu] = await pageCpu(desk.page, 1, minuteMs)
    const frames = Number(await desk.page.evaluate('frames')) - before
    if (cpu === undefined || !shownMinutes.includes(minute)) continue
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const figures = [(1000 * frames) / minuteMs, usedSize / 1e6, cpu.scripts, cpu.tasks]
    rows.push([String(minute), ...figures.map((figure) => figure.toPrecision(3))])
    process.stderr.write(` ${minute}`)
  }
  process.stderr.write('\n')
  const version = browser.version()
  await desk.close()
  await browser.close()
  return {
    method: `The table of ${deskTokens} tokens in Chromium ${version}, with ${1000 / tick} prices a second of each, in a window of ${look.width} by ${look.height} pixels: frames of animation a second, the heap after a garbage collection, and CPU of the main thread in percent of one core, of one minute each.`,
    columns: ['Minute', 'frames a second', 'heap, MB', 'scripts, %', 'scripts, style, layout and paint, %'],
    rows,
    limit: rows.map(() => 15),
  }
}

/** As text, because a compiler adds helpers to functions, which do not exist in a page. */
const countFrames = `
  globalThis.frames = 0
  const count = () => { globalThis.frames++; requestAnimationFrame(count) }
  requestAnimationFrame(count)`

const measure = async (
  browser: Browser,
  files: PageFiles,
  { tokens, windowMs, fillMs }: Load,
): Promise<readonly PageCpu[]> => {
  const { page, close } = await open(browser, files, tokens)
  await delay(fillMs)
  await slowDown(page)
  await page.waitForFunction(`document.querySelectorAll('[data-state="live"]').length === ${tokens}`)
  const measured = await pageCpu(page, windows, windowMs)
  await close()
  return measured
}

/** Opens the dashboard of a market with this number of tokens. Its clock is fast until it is slowed down. */
const open = async (
  browser: Browser,
  files: PageFiles,
  tokens: number,
  view = '',
): Promise<{ readonly page: Page; readonly close: () => Promise<void> }> => {
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
    label: 'SIMULATED',
    tokens: market.tokens,
    depthInterval: 1000,
    staleAfter: 30_000,
  } as const
  const server = await startDashboard(market.client, { port: 0, closedReason: '', files, config })
  const page = await openFast(browser, `${server.url}${view}`, look)
  return {
    page,
    close: async () => {
      await page.context().close()
      await server.close()
      await market.close()
    },
  }
}
