import { chromium, type Browser } from 'playwright-core'
import { bundleForBrowsers } from '../../test/browser/support/bundle-for-browsers.js'
import { unpackChromium } from '../../test/browser/support/unpack-chromium.js'
import { startPriceServer } from '../browser/price-server.js'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'

interface Candidate {
  readonly name: string
  readonly script: string
}

const topicCount = 100

/** The number of prices that are sent at once. */
const burst = 20_000

/** The script time of a page per price, compared with a page by hand. */
export const browserPages = async ({ rounds, quick }: Settings): Promise<Section> => {
  const prices = quick ? 20_000 : 200_000
  const candidates: readonly Candidate[] = [
    { name: 'by hand', script: await bundle('hand-written-page.ts') },
    { name: '**svc-streams**', script: await bundle('library-page.ts') },
  ]
  const [byHand] = candidates
  const browser = await chromium.launch(await unpackChromium())
  const measured = await inRounds(rounds, candidates, ({ script }) => scriptTime(browser, script, prices))
  const version = browser.version()
  await browser.close()
  const micros = (candidate: Candidate | undefined) =>
    candidate === undefined ? [] : valuesOf(measured, candidate, (value) => value)
  return {
    method: `Script time of a page in Chromium ${version} per price, ${topicCount} topics, ${prices} prices a round. Cost: relative to the page by hand, lower is better.`,
    columns: ['Page', 'µs per price', 'cost'],
    rows: candidates.map((candidate) => [
      candidate.name,
      formatSpread(spreadOf(micros(candidate))),
      formatSpread(spreadOf(ratios(micros(candidate), micros(byHand)))),
    ]),
  }
}

const bundle = (file: string): Promise<string> =>
  bundleForBrowsers(new URL(`../browser/${file}`, import.meta.url))

/** In µs per price, after as many prices to warm up. */
const scriptTime = async (browser: Browser, script: string, prices: number): Promise<number> => {
  const server = await startPriceServer(topicCount)
  const page = await browser.newPage()
  await page.addScriptTag({ content: script })
  await page.evaluate(`receive(${JSON.stringify(server.url)}, ${JSON.stringify(server.topics)})`)
  await server.subscribed
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const seconds = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN
  }
  let total = 0
  const receive = async (): Promise<void> => {
    // Chromium takes seconds for all at once: then the library would hold those that are older than `maxLag`.
    for (const end = total + prices; total < end;) {
      server.send(burst)
      total += burst
      // Waits in this process: a check in the page would count as script time.
      while ((await page.evaluate<number>('received')) < total) await page.waitForTimeout(20)
    }
  }
  await receive()
  const before = await seconds()
  await receive()
  const after = await seconds()
  await page.close()
  server.close()
  return ((after - before) / prices) * 1e6
}
