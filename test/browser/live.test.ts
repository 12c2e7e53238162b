import { describe, expect, it } from 'vitest'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'
import { logOf, openPage, type PageScope } from './support/page.js'

describe('a page', () => {
  it('shows live prices and depth of the simulator', async () => {
    const { baseUrl, priceBaseUrl, priceWsUrl, authKey } = await startTestSimulator({ cors: true })
    const page = await openPage()
    await page.evaluate(
      ([options, topic, mint]) => {
        const { svcStreams, rxjs, log } = globalThis as unknown as PageScope
        const client = svcStreams.createClient(options)
        rxjs.merge(client.price$(topic), client.depth$(mint, 50)).subscribe((event) => log.push(event))
      },
      [
        { environment: 'mainnet', baseUrl, priceBaseUrl, priceWsUrl, authKey, allowBrowserKey: true },
        ethTopic,
        weth,
      ] as const,
    )
    await eventually(async () => {
      const events = await logOf(page)
      expect(events).toContainEqual({
        _tag: 'Right',
        right: expect.objectContaining({ topic: ethTopic, epoch: 1 }) as unknown,
      })
      expect(events).toContainEqual({
        _tag: 'Right',
        right: expect.objectContaining({ mint: weth }) as unknown,
      })
    })
  })
})
