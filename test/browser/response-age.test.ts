import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startHttpServer } from '../support/network/servers.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { openPage, type Evaluator, type PageScope } from './support/page.js'
import { openTab } from './support/tab.js'

/** In ms: longer than a response may seem younger than it is, and shorter than the default of `maxLag`. */
const pauseMs = 1500

const cors = { 'Access-Control-Allow-Origin': '*' }

/** A service whose responses to price requests the test sends. */
const startService = async () => {
  const pending: ServerResponse[] = []
  let isBlocked = false
  const origin = await startHttpServer(({ url }, response) => {
    response.setHeaders(new Headers(cors))
    if (url !== '/blocked') return void pending.push(response)
    isBlocked = true
    response.end()
  })
  /** Responds to the next request. Returns the time of the last byte. */
  const respond = async (): Promise<number> => {
    await new Promise<void>((resolve) => pending.shift()?.end('1.5', resolve))
    return Date.now()
  }
  const requested = (): Promise<unknown> => eventually(() => expect(pending).toHaveLength(1))
  return { origin, respond, requested, blocked: () => eventually(() => isBlocked) }
}

/** Logs the result of one price request in the page. */
const request = (page: Evaluator, priceBaseUrl: string, maxLag = 5000): Promise<unknown> =>
  page.evaluate(
    ([baseUrl, topic, lag]) => {
      const { svcStreams, log } = globalThis as unknown as PageScope
      const client = svcStreams.createClient({ environment: 'testnet', priceBaseUrl: baseUrl, maxLag: lag })
      void client
        .price(topic)()
        .then((result) => log.push(result))
    },
    [priceBaseUrl, ethTopic, maxLag] as const,
  )

interface Result {
  readonly _tag: string
  readonly right: { readonly receivedAt: number }
}

const resultOf = async (page: Evaluator): Promise<Result> => {
  let results: readonly unknown[] = []
  await eventually(async () => {
    results = await page.evaluate(() => (globalThis as unknown as PageScope).log)
    expect(results).toHaveLength(1)
  })
  return results[0] as Result
}

const expectReceivedBy = async (page: Evaluator, lastByteAt: number): Promise<void> => {
  const { _tag, right } = await resultOf(page)
  expect(_tag).toBe('Right')
  expect(right.receivedAt).toBeLessThanOrEqual(lastByteAt + 1000)
  expect(right.receivedAt).toBeGreaterThan(lastByteAt - 1000)
}

/** Resolves when a time has passed. */
const elapsed = (ms: number): Promise<unknown> => {
  const start = performance.now()
  return eventually(() => performance.now() - start > ms)
}

describe('a response that arrives while a page does not read', () => {
  it('has a receivedAt of at most 1 s later, after a blocked event loop', async () => {
    const { origin, respond, requested, blocked } = await startService()
    const page = await openPage()
    await request(page, origin)
    await requested()
    const unblocked = page.evaluate(
      ([url, ms]) => {
        const { navigator } = globalThis as unknown as { navigator: { sendBeacon(url: string): boolean } }
        navigator.sendBeacon(`${url}/blocked`)
        const start = performance.now()
        while (performance.now() - start < ms);
      },
      [origin, pauseMs] as const,
    )
    await blocked()
    const lastByteAt = await respond()
    await unblocked
    await expectReceivedBy(page, lastByteAt)
  })

  it('has a receivedAt of at most 1 s later, after a freeze', async () => {
    const { origin, respond, requested } = await startService()
    const tab = await openTab()
    await request(tab, origin)
    await requested()
    await tab.freeze()
    const lastByteAt = await respond()
    await elapsed(pauseMs)
    await tab.resume()
    await expectReceivedBy(tab, lastByteAt)
  })

  it('is requested once more if it is read later than maxLag after its request', async () => {
    const { origin, respond, requested } = await startService()
    const tab = await openTab()
    await request(tab, origin, 500)
    await requested()
    await tab.freeze()
    await respond()
    await elapsed(500)
    await tab.resume()
    await requested()
    const lastByteAt = await respond()
    await expectReceivedBy(tab, lastByteAt)
  })
})
