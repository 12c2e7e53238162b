import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { commandLine, startCommand } from '../../cli/support/command.js'
import { environmentOf } from '../../cli/support/environment-of.js'
import { startGatewayCommand } from '../../cli/support/gateway-command.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { wbtc, weth } from '../../support/tokens.js'
import { connectionOf, openDashboard, valueOf } from '../support/open-dashboard.js'

// Gateways and dashboards in their own processes, and the pages in Chromium.

const tokens = [weth, wbtc]

/** Opens the page of a dashboard over several gateways. Resolves when it shows prices and depths. */
const openDashboardOf = async (gateways: readonly string[]): Promise<Page> => {
  const args = [...tokens, '--gateway', gateways.join(), '--interval', '100']
  const command = startCommand(commandLine('dashboard', ...args))
  await eventually(() => command.stdout.includes('\n'))
  const page = await openDashboard({ url: command.stdout.trim() })
  await eventually(async () => {
    for (const token of tokens) {
      expect(await valueOf(page, token, 'state')).toBe('live')
      expect(await valueOf(page, token, 'buy')).toMatch(/\d/)
    }
  })
  return page
}

/** Collects each text that a page shows as a state, a depth or the connection from now on. */
const collectTexts = async (page: Page): Promise<() => Promise<readonly string[]>> => {
  await page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLElement>('[data-field]')].filter(({ dataset }) =>
      ['state', 'buy', 'sell', 'connection'].includes(dataset['field'] ?? ''),
    )
    const texts = new Set<string>()
    const collect = (): void => {
      for (const { dataset, textContent } of fields) texts.add(`${dataset['field']}: ${textContent.trim()}`)
    }
    collect()
    new MutationObserver(collect).observe(document, { subtree: true, childList: true, characterData: true })
    Object.assign(window, { texts })
  })
  return () => page.evaluate(() => [...(window as unknown as { readonly texts: Set<string> }).texts])
}

/** Waits until each price and each depth of a page has changed. */
const untilNew = async (page: Page): Promise<void> => {
  const shown = () =>
    Promise.all(tokens.flatMap((token) => ['price', 'buy', 'sell'].map((name) => valueOf(page, token, name))))
  const before = await shown()
  const changed = new Set<number>()
  await eventually(async () => {
    for (const [index, text] of (await shown()).entries()) if (text !== before[index]) changed.add(index)
    expect(changed.size).toBe(before.length)
  })
}

/** Waits until a gateway serves the tokens to so many consumers. */
const untilConsumers = (url: string, count: number): Promise<unknown> =>
  eventually(async () => {
    const health = (await (await fetch(`${url}/health`)).json()) as object
    expect(health).toMatchObject({ status: 'up', connections: count, topics: tokens.length })
  })

const isHealthy = (text: string): boolean =>
  /^(?:state: live|connection: connected|(?:buy|sell): [\d,.]+)$/.test(text)

test('two dashboards show nothing but a counter when either of two gateways is killed', async () => {
  const simulator = await startTestSimulator()
  const ports = [await findUnusedPort(), await findUnusedPort()]
  const start = (port: number) => startGatewayCommand(['--port', String(port)], environmentOf(simulator))
  const gateways = await Promise.all(ports.map(start))
  const urls = gateways.map(({ url }) => url)
  const [first, second] = gateways
  const pages = await Promise.all([openDashboardOf(urls), openDashboardOf(urls)])
  for (const url of urls) await untilConsumers(url, pages.length)
  const texts = await Promise.all(pages.map(collectTexts))
  const switchesOf = async (page: Page) =>
    Number(/(\d+) switch/.exec((await page.locator('[role="status"]').textContent()) ?? '')?.[1] ?? 0)

  first?.command.process.kill('SIGKILL')
  await first?.command.waitForExit()
  await eventually(async () => expect(await Promise.all(pages.map(switchesOf))).toEqual([1, 1]))
  for (const page of pages) await untilNew(page)

  const returned = await start(ports[0] ?? 0)
  await untilConsumers(returned.url, pages.length)
  for (const page of pages) await untilNew(page)
  second?.command.process.kill('SIGKILL')
  await second?.command.waitForExit()
  await eventually(async () => expect(await Promise.all(pages.map(switchesOf))).toEqual([2, 2]))
  for (const page of pages) {
    await untilNew(page)
    expect(await connectionOf(page)).toBe('connected')
  }
  for (const shown of texts) expect((await shown()).filter((text) => !isHealthy(text))).toEqual([])
})
