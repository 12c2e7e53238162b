import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, inject, it } from 'vitest'
import { newFolder } from '../support/new-folder.js'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { eventsOf } from '../backtest/history/support/files.js'
import { header, priceRow, recordingText, start, topic } from '../backtest/recording/support/recordings.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { startTestSimulator } from '../support/simulator.js'
import { ethTopic } from '../support/tokens.js'
import { openPage, type PageScope } from './support/page.js'

/** Starts a gateway without prices, over a recording of an earlier one. */
const serveRecording = async (origins: readonly string[]) => {
  const folder = newFolder()
  const time = new Date(start).toISOString().slice(0, 19).replaceAll(':', '-')
  const rows = Array.from({ length: 1000 }, (_, index) => priceRow(100 * index, index + 1))
  writeFileSync(
    join(folder, `${topic}.${time}Z.ndjson`),
    recordingText({ ...header, topics: [topic] }, ...rows),
  )
  const keep = Date.now() - start + 1e9
  return startTestGateway(createTestClient(), { origins, history: { folder, keep } })
}

const range = { from: start - 1000, to: start + 90_000 }

const readInPage = async (url: string): Promise<{ events: unknown; topics: unknown }> => {
  const page = await openPage()
  return page.evaluate(
    async ([source, name, times]) => {
      const { pastPrices, rxjs } = globalThis as unknown as PageScope
      const opened = pastPrices.openHistory(source)
      const events = await rxjs.firstValueFrom(opened.prices$(name, times).pipe(rxjs.toArray()))
      return { events, topics: await opened.topics()() }
    },
    [url, topic, range] as const,
  )
}

const originOfPage = (): string => new URL(inject('pageUrl')).origin

describe('the history of a gateway in a page', () => {
  it('has the events and the topics that it has in Node', async () => {
    const { baseUrl } = await serveRecording([originOfPage()])
    const history = openHistory(baseUrl)
    const events = await eventsOf(history.prices$(topic, range))
    expect(events).toHaveLength(901)
    expect(await readInPage(baseUrl)).toEqual({ events, topics: await history.topics()() })
  })

  it('is a NetworkError without access', async () => {
    const { baseUrl } = await serveRecording([])
    expect(await readInPage(baseUrl)).toMatchObject({
      events: [{ left: { _tag: 'NetworkError' } }],
      topics: { left: { _tag: 'NetworkError' } },
    })
  })

  it('is joined to the live candles of the page', async () => {
    const client = closeAfterTest(
      createClient({ environment: 'mainnet', ...(await startTestSimulator({ tick: 10 })) }),
    )
    const folder = newFolder()
    const { baseUrl, priceBaseUrl, priceWsUrl } = await startTestGateway(client, {
      origins: [originOfPage()],
      history: { folder, topics: [ethTopic] },
    })
    const page = await openPage()
    const candles = await page.evaluate(
      async ([urls, name, from]) => {
        const { pastPrices, operators, rxjs, svcStreams } = globalThis as unknown as PageScope
        const live = svcStreams.createClient({ environment: 'mainnet', ...urls })
        const past$ = pastPrices.openHistory(urls.baseUrl).prices$(name, { from })
        const joined$ = live
          .price$(name)
          .pipe(operators.candles(100, { past$ }), rxjs.take(5), rxjs.toArray())
        const events = await rxjs.firstValueFrom(joined$)
        await live.close()
        return events
      },
      [{ baseUrl, priceBaseUrl, priceWsUrl }, ethTopic, Date.now() - 1000] as const,
    )
    const windows = candles.map((event) => ('right' in event ? event.right.from : event.left.message))
    expect(new Set(windows).size).toBe(5)
    expect(windows).toEqual([...windows].sort())
  })
})
