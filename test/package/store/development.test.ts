import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { spawnNode } from '../../support/process/node-process.js'
import { eventually } from '../../support/time/eventually.js'
import { probeScript, startStoreMarket, type Probe } from '../support/store-pages.js'

// The store pages under the development server of Vite: with React's checks and its Profiler, and with hot reloads.

const { bundlers } = inject('packed')
/** A copy: tests edit it while others build the original. */
const folder = join(bundlers, 'development')

beforeAll(() => cp(join(bundlers, 'store'), folder, { recursive: true }))

/** Starts the server. Resolves to its origin. */
const startVite = async (): Promise<string> => {
  const vite = join(bundlers, 'node_modules/vite/bin/vite.js')
  const server = spawnNode([vite, 'development', '--host', '127.0.0.1', '--port', '0'], {
    cwd: bundlers,
    environment: { NO_COLOR: '1' },
  })
  const address = /http:\/\/127\.0\.0\.1:\d+/
  await eventually(() => address.test(server.output))
  return address.exec(server.output)?.[0] ?? ''
}

const openPage = async (url: string): Promise<Page> => {
  const browser = await chromium.connect(inject('chromium'))
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.addInitScript({ content: probeScript })
  await page.goto(url)
  return page
}

const probeOf = (page: Page): Promise<Probe> => page.evaluate('({ ...probe })')

const waitForPrice = (page: Page, price: number) =>
  page.waitForFunction(
    `[...document.querySelectorAll('td:nth-child(2)')].filter((cell) => cell.textContent === '${price}').length === 50`,
  )

test('React under StrictMode commits a row at most once a frame, with 1000 prices a second, over one connection', async () => {
  const { query, publishMany, countTopics } = await startStoreMarket()
  const page = await openPage(`${await startVite()}/profiled/${query}`)
  await waitForPrice(page, 1)
  await page.evaluate('commits.length = 0')
  await waitForPrice(page, await publishMany(5000))
  const commits = await page.evaluate<readonly string[]>('commits')
  expect(new Set(commits.map((commit) => commit.split(' ')[0])).size).toBe(50)
  expect(commits.filter((commit, index) => commits.indexOf(commit) !== index)).toEqual([])
  const { sockets, messages } = await probeOf(page)
  expect(messages).toBeGreaterThanOrEqual(5000)
  // StrictMode mounts each component twice.
  expect({ sockets, subscribed: countTopics('subscribe'), unsubscribed: countTopics('unsubscribe') }).toEqual(
    {
      sockets: 1,
      subscribed: 50,
      unsubscribed: 0,
    },
  )
})

describe.each([
  ['react', 'Prices.tsx'],
  ['svelte', 'Prices.svelte'],
])('a hot reload of the store page for %s', (framework, component) => {
  test('shows the new component over the same connection', async () => {
    const { simulator, query, publish, countTopics } = await startStoreMarket()
    const page = await openPage(`${await startVite()}/${framework}/${query}`)
    await waitForPrice(page, 1)
    const { upgrades } = simulator
    const file = join(folder, framework, component)
    await writeFile(file, (await readFile(file, 'utf8')).replace('Live prices', 'Edited prices'))
    await page.getByRole('heading', { name: 'Edited prices' }).waitFor()
    publish()
    await waitForPrice(page, 2)
    expect(await probeOf(page)).toMatchObject({ sockets: 1 })
    expect({ upgrades: simulator.upgrades, unsubscribed: countTopics('unsubscribe') }).toEqual({
      upgrades,
      unsubscribed: 0,
    })
  })
})
