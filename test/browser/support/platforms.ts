import type { Page } from 'playwright-core'
import { createClient, type DepthClientOptions } from 'svc-streams'
import { beforeAll, onTestFinished } from 'vitest'
import { ClientDriver } from './client-driver.js'
import { loadPage, type PageScope } from './page.js'

/** Calls the methods of a `ClientDriver`, which may be in another process. */
export type Drive = <Method extends keyof ClientDriver>(
  method: Method,
  ...parameters: Parameters<ClientDriver[Method]>
) => Promise<Awaited<ReturnType<ClientDriver[Method]>>>

/** Creates a client. Closes it after the test. */
export type StartClient = (options: Partial<DepthClientOptions>) => Promise<Drive>

/** A deployment for tests that need only its prices. */
const defaults = {
  environment: 'mainnet',
  baseUrl: 'http://127.0.0.1:1',
  priceBaseUrl: 'http://127.0.0.1:1',
} as const

const anyKey = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

const withDefaults = (options: Partial<DepthClientOptions>): DepthClientOptions => ({
  ...defaults,
  authKey: anyKey,
  reconnect: { initialDelay: 1, maxDelay: 1 },
  ...options,
})

type AnyMethod = (...parameters: readonly unknown[]) => unknown

const startOnNode: StartClient = (options) => {
  const driver = new ClientDriver(createClient, withDefaults(options))
  onTestFinished(() => driver.close())
  const drive: unknown = async (method: keyof ClientDriver, ...parameters: readonly unknown[]) =>
    (driver[method] as AnyMethod)(...parameters)
  return Promise.resolve(drive as Drive)
}

interface DriverScope extends PageScope {
  driver: ClientDriver
}

const startInPage = async (page: Page, options: Partial<DepthClientOptions>): Promise<Drive> => {
  await page.evaluate(
    (given) => {
      const scope = globalThis as unknown as DriverScope
      scope.driver = new scope.ClientDriver(scope.svcStreams.createClient, given)
    },
    // A simulator that is spread into the options has functions too.
    JSON.parse(JSON.stringify({ ...withDefaults(options), allowBrowserKey: true })) as DepthClientOptions,
  )
  const drive: unknown = (method: keyof ClientDriver, ...parameters: readonly unknown[]) =>
    page.evaluate(
      ([name, given]) => {
        const { driver } = globalThis as unknown as DriverScope
        return (driver[name] as AnyMethod)(...given)
      },
      [method, parameters] as const,
    )
  onTestFinished(() => (drive as Drive)('close'))
  return drive as Drive
}

/** The platforms of the library, by name. All tests of the calling file share one page. */
export const usePlatforms = (): readonly (readonly [string, StartClient])[] => {
  let page: Page
  beforeAll(async () => {
    const loaded = await loadPage()
    page = loaded.page
    return loaded.close
  })
  return [
    ['on Node', startOnNode],
    ['in Chromium', (options) => startInPage(page, options)],
  ]
}
