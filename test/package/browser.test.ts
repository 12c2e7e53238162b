import { isBuiltin } from 'node:module'
import { chromium } from 'playwright-core'
import { startSimulator } from 'svc-streams/simulator'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startHttpServer } from '../support/network/servers.js'
import { ethTopic } from '../support/tokens.js'
import { bundlePage, bundlers, gzippedSize } from './support/bundlers.js'

const { bundlers: folder } = inject('packed')

/** The text that a page shows which runs a script. */
const textOf = async (script: string, options: Readonly<Record<string, string>>): Promise<string> => {
  const html = '<!doctype html><body></body><script type="module" src="/page.js"></script>'
  const origin = await startHttpServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : html)
  })
  const browser = await chromium.connect(inject('chromium'))
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const errors: unknown[] = []
  page.on('pageerror', (error) => errors.push(error))
  await page.goto(`${origin}?${new URLSearchParams(options).toString()}`)
  await page.waitForFunction('document.body.textContent !== ""')
  expect(errors).toEqual([])
  return page.evaluate<string>('document.body.textContent')
}

describe.each(bundlers)('a page bundled by $name', (bundler) => {
  test('shows a price, imports nothing of Node, and causes no warning', async () => {
    const { script, output } = await bundlePage(bundler, folder)
    expect(output).not.toMatch(/warn/i)
    const imports = [...script.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
      ([, name]) => name ?? '',
    )
    expect(imports.filter((name) => isBuiltin(name))).toEqual([])
    const simulator = await startSimulator({ cors: true })
    onTestFinished(() => simulator.close())
    const { priceBaseUrl, priceWsUrl } = simulator
    expect(await textOf(script, { priceBaseUrl, priceWsUrl, topic: ethTopic })).toMatch(/^price \d/)
  })
})

test('a page that shows a price has less than 45,000 bytes, minified and compressed, peers included', async () => {
  for (const bundler of bundlers.filter(({ name }) => name !== 'Rollup')) {
    const { script } = await bundlePage(bundler, folder)
    expect(gzippedSize(script), bundler.name).toBeLessThan(45_000)
  }
})
