import { chromium, type Page } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import type { ClientOptions, PriceClient, Topic } from 'svc-streams'
import type { Library } from './page-script.js'

/** The global scope of the test page, as functions that run in it see it. */
export interface PageScope extends Library {
  client: PriceClient
  readonly log: unknown[]
}

/** A page in which functions run: one of Playwright, or a `Tab`. */
export type Evaluator = Pick<Page, 'evaluate'>

/** Opens a page that has loaded the library, in a browser context of its own. */
export const loadPage = async (): Promise<{ readonly page: Page; readonly close: () => Promise<void> }> => {
  const browser = await chromium.connect(inject('chromium'))
  const page = await browser.newPage()
  await page.goto(inject('pageUrl'))
  return { page, close: () => browser.close() }
}

/** Opens a page. Closes it after the test. */
export const openPage = async (): Promise<Page> => {
  const { page, close } = await loadPage()
  onTestFinished(close)
  return page
}

/** The events that the page has logged. */
export const logOf = (page: Evaluator): Promise<readonly unknown[]> =>
  page.evaluate(() => (globalThis as unknown as PageScope).log)

/** The events of the prices of a topic, in short: the price, or the tag of the error. */
export const tagsOf = async (page: Evaluator): Promise<readonly unknown[]> =>
  page.evaluate(() =>
    (globalThis as unknown as PageScope).log.map((event) => {
      const { _tag, left } = event as { readonly _tag: string; readonly left?: { readonly _tag: string } }
      return left?._tag ?? _tag
    }),
  )

/** Creates a client in the page, and logs the prices of a topic. */
export const logPrices = (page: Evaluator, options: ClientOptions, topic: Topic): Promise<void> =>
  page.evaluate(
    ([clientOptions, name]) => {
      const scope = globalThis as unknown as PageScope
      scope.client = scope.svcStreams.createClient(clientOptions)
      scope.client.price$(name).subscribe((event) => scope.log.push(event))
    },
    [options, topic] as const,
  )
