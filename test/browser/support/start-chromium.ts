import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { bundlePage } from './bundle-page.js'
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
  const { executable, environment } = await unpackChromium()
  const server = await chromium.launchServer({
    executablePath: executable,
    env: { ...process.env, ...environment },
    // Containers have no user namespaces and little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  project.provide('chromium', server.wsEndpoint())
  project.provide('pageScript', await bundlePage())
  return () => server.close()
}
