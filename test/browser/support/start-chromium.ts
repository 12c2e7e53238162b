import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { bundleForBrowsers } from './bundle-for-browsers.js'
import { unpackChromium } from './unpack-chromium.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket address of the running Chromium. */
    readonly chromium: string
    /** The script of the test page. */
    readonly pageScript: string
  }
}

/** Starts one Chromium for all test files. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await chromium.launchServer(await unpackChromium())
  project.provide('chromium', server.wsEndpoint())
  const pageScript = new URL('page-script.ts', import.meta.url)
  project.provide('pageScript', await bundleForBrowsers(pageScript))
  return () => server.close()
}
