import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { bundleForBrowsers } from './bundle-for-browsers.js'
import { pageListener } from './page-listener.js'
import { unpackChromium } from './unpack-chromium.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket address of the running Chromium. */
    readonly chromium: string
    /** A page that has loaded the library. */
    readonly pageUrl: string
  }
}

const pageHtml = `<!doctype html><html lang="en"><title>Test</title><script src="/page.js"></script><script>log = []</script></html>`

const pageScript = new URL('page-script.ts', import.meta.url)

/** Flags of Playwright that keep a hidden page from being throttled, or a page that was left from being restored. */
const unwantedFlags = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-back-forward-cache',
]

/** Starts one Chromium, and the server of the test page, for all test files. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await chromium.launchServer({
    ...(await unpackChromium()),
    ignoreDefaultArgs: unwantedFlags,
  })
  project.provide('chromium', server.wsEndpoint())
  const page = createServer(pageListener(pageHtml, await bundleForBrowsers(pageScript)))
  page.listen(0, '127.0.0.1')
  await once(page, 'listening')
  project.provide('pageUrl', `http://127.0.0.1:${(page.address() as AddressInfo).port}/`)
  return async () => {
    await server.close()
    page.close()
  }
}
