import { isBuiltin } from 'node:module'
import { chromium, type Page } from 'playwright-core'
import { startSimulator } from 'svc-streams/simulator'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { servePage } from '../browser/support/serve-page.js'
import { ethTopic } from '../support/tokens.js'
import { bundlePage, bundlers, gzippedSize, type Bundler } from './support/bundlers.js'

const { bundlers: folder } = inject('packed')

/** The bundles of the page, by bundler. */
const bundles = new Map<Bundler, ReturnType<typeof bundlePage>>()

const bundleOnce = (bundler: Bundler): ReturnType<typeof bundlePage> => {
  const bundle = bundles.get(bundler) ?? bundlePage(bundler, folder)
  bundles.set(bundler, bundle)
  return bundle
}

/** Opens a page that runs a script, with options in its address. */
const openPage = async (
  script: string,
  options: Readonly<Record<string, string>>,
  body = '',
): Promise<Page> => {
  const html = `<!doctype html><body>${body}</body><script type="module" src="/page.js"></script>`
  const origin = await servePage(html, script)
  const browser = await chromium.connect(inject('chromium'))
  const page = await browser.newPage()
  const errors: unknown[] = []
  page.on('pageerror', (error) => errors.push(error))
  onTestFinished(async () => {
    await browser.close()
    expect(errors).toEqual([])
  })
  await page.goto(`${origin}?${new URLSearchParams(options).toString()}`)
  return page
}

describe.each(bundlers)('a page bundled by $name', (bundler) => {
  test('shows a price, imports nothing of Node, and causes no warning', async () => {
    const { script, output } = await bundleOnce(bundler)
    expect(output).not.toMatch(/warn/i)
    const imports = [...script.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
      ([, name]) => name ?? '',
    )
    expect(imports.filter((name) => isBuiltin(name))).toEqual([])
    const simulator = await startSimulator({ cors: true })
    onTestFinished(() => simulator.close())
    const { priceBaseUrl, priceWsUrl } = simulator
    const page = await openPage(script, { priceBaseUrl, priceWsUrl, topic: ethTopic })
    await page.waitForFunction('/^price \\d/.test(document.body.textContent)')
  })
})

test('the page of the examples, built by Vite, shows live prices, and which are not current', async () => {
  const { script } = await bundlePage(
    { name: 'example', command: ['vite', 'build', 'browser', '--outDir', '{out}'] },
    folder,
  )
  const simulator = await startSimulator({ cors: true })
  const { priceBaseUrl, priceWsUrl } = simulator
  const page = await openPage(
    script,
    { priceBaseUrl, priceWsUrl },
    '<table><tbody></tbody></table><p role="status"></p>',
  )
  await page.waitForFunction('/ETH[\\d.]+live/.test(document.body.textContent)')
  await simulator.close()
  await page.waitForFunction('document.querySelectorAll(".not-current").length === 2')
  expect(await page.textContent('tbody')).toMatch(/^ETH[\d.]+DisconnectedBTC[\d.]+Disconnected$/)
})

test('a page that shows a price has less than 48,000 bytes, minified and compressed, peers included', async () => {
  for (const bundler of bundlers.filter(({ name }) => name !== 'Rollup')) {
    const { script } = await bundleOnce(bundler)
    expect(gzippedSize(script), bundler.name).toBeLessThan(48_000)
  }
})
