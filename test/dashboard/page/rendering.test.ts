import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { pageFiles } from '../support/page-files.js'
import { connectionOf, logOf, openDashboard, startTestDashboard, valueOf } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'

/** The page as functions that run in it see it. */
interface PageScope {
  /** Undefined while the page has frames. */
  heldFrames: FrameRequestCallback[] | undefined
  frames: number
  mutations: number
}

const holdFrames = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    // A frame may be requested already.
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await nextFrame()
    await nextFrame()
    const scope = globalThis as unknown as PageScope
    scope.heldFrames = []
  })

/** Has the callbacks of the held frames run, and the next frames again. */
const releaseFrames = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    const scope = globalThis as unknown as PageScope
    const held = scope.heldFrames ?? []
    scope.heldFrames = undefined
    for (const callback of held) callback(performance.now())
  })

/** Lets a test hold the animation frames of a page, as a browser does while the page is hidden. Counts them. */
const controlFrames = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const scope = globalThis as unknown as PageScope
    const request = requestAnimationFrame
    scope.frames = 0
    globalThis.requestAnimationFrame = (callback) => {
      if (scope.heldFrames !== undefined) return scope.heldFrames.push(callback)
      return request((time) => {
        scope.frames += 1
        callback(time)
      })
    }
  })

describe('the page of the dashboard', () => {
  it('renders nothing while it is hidden, and the latest state when it is shown', async () => {
    const market = new TestMarket()
    const page = await openDashboard(await startTestDashboard(market.client), {}, controlFrames)
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'price')).toBe('2500.0000'))
    await holdFrames(page)
    await page.evaluate(() => {
      const scope = globalThis as unknown as PageScope
      scope.mutations = 0
      new MutationObserver((records) => (scope.mutations += records.length)).observe(document.body, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      })
    })
    const requests = () => page.evaluate(() => (globalThis as unknown as PageScope).heldFrames?.length)
    market.sendEth(2501)
    await eventually(async () => expect(await requests()).toBe(1))
    for (const usd of [2502, 2503]) market.sendEth(usd)
    market.disconnect('reset')
    // The title has no frames: the page has received all of the above.
    await eventually(async () => expect(await page.title()).toMatch(/^service lost/))
    expect(await page.evaluate(() => (globalThis as unknown as PageScope).mutations)).toBe(0)
    expect(await requests()).toBe(1)
    await releaseFrames(page)
    await eventually(async () => expect(await connectionOf(page)).toBe('service lost'))
    expect(await valueOf(page, weth, 'price')).toBe('2503.0000')
    expect(await valueOf(page, weth, 'state')).toBe('down')
  })

  it('violates no content security policy, and loads nothing from elsewhere', async () => {
    const problems: string[] = []
    const market = new TestMarket()
    const dashboard = await startTestDashboard(market.client)
    const page = await openDashboard(dashboard, {}, async (opened) => {
      opened.on('console', (message) => problems.push(message.text()))
      opened.on('pageerror', (error) => problems.push(error.message))
      opened.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(dashboard.url) && !url.startsWith('data:')) problems.push(url)
      })
    })
    market.sendEth(2500)
    await eventually(async () => expect(await valueOf(page, weth, 'state')).toBe('live'))
    expect(problems).toEqual([])
  })

  it('shows texts of the service as text', async () => {
    const market = new TestMarket()
    const symbol = '<img src=x onerror=alert(1)>'
    const dashboard = await startTestDashboard(market.client, {
      tokens: [{ address: weth, symbol, decimals: 18 }],
    })
    const page = await openDashboard(dashboard)
    await eventually(async () => expect(await valueOf(page, weth, 'symbol')).toBe(symbol))
    market.disconnect('<b>reset</b>')
    await eventually(async () => expect((await logOf(page)).join()).toContain('<b>reset</b>'))
    expect(await page.locator('img').count()).toBe(0)
  })

  it('is smaller than 60 kB, compressed', async () => {
    const { html, style, script } = await pageFiles()
    const size = [html, style, script].reduce((sum, file) => sum + gzipSync(file).length, 0)
    expect(size).toBeLessThan(60_000)
  })
})
