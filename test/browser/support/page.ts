import { chromium, type Page } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import type { ClientOptions, PriceClient, Topic } from 'svc-streams'
import type { Library } from './page-script.js'
import { servePage } from './serve-page.js'

/** The global scope of the test page, as functions that run in it see it. */
export interface PageScope extends Library {
  client: PriceClient
  readonly log: unknown[]
}

const html = `<!doctype html><html lang="en"><title>Test</title><script src="/page.js"></script><script>log = []</script></html>`

/** Opens a page that has loaded the library, in a browser context of its own. Closes it after the test. */
export const openPage = async (): Promise<Page> => {
  const origin = await servePage(html, inject('pageScript'))
  const browser = await chromium.connect(inject('chromium'))
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(origin)
  return page
}

/** The events that the page has logged. */
export const logOf = (page: Page): Promise<readonly unknown[]> =>
  page.evaluate(() => (globalThis as unknown as PageScope).log)

/** The events of the prices of a topic, in short: the price, or the tag of the error. */
export const tagsOf = async (page: Page): Promise<readonly unknown[]> =>
  page.evaluate(() =>
    (globalThis as unknown as PageScope).log.map((event) => {
      const { _tag, left } = event as { readonly _tag: string; readonly left?: { readonly _tag: string } }
      return left?._tag ?? _tag
    }),
  )

/** Creates a client in the page, and logs the prices of a topic. */
export const logPrices = (page: Page, options: ClientOptions, topic: Topic): Promise<void> =>
  page.evaluate(
    ([clientOptions, name]) => {
      const scope = globalThis as unknown as PageScope
      scope.client = scope.svcStreams.createClient(clientOptions)
      scope.client.price$(name).subscribe((event) => scope.log.push(event))
    },
    [options, topic] as const,
  )
