import { expect, test } from 'vitest'
import { startTestSimulator } from '../support/simulator.js'
import { ethTopic } from '../support/tokens.js'
import { openPage, type PageScope } from './support/page.js'

/** The `Observable` of the web platform, as far as it is used here. */
interface WebScope {
  readonly Observable: {
    from<A>(source: AsyncIterable<A>): { take(count: number): { toArray(): Promise<readonly A[]> } }
  }
}

test('a stream is a source of the Observable of the browser', async () => {
  const { priceBaseUrl, priceWsUrl } = await startTestSimulator({ cors: true })
  const page = await openPage()
  const prices = await page.evaluate(
    ([options, topic]) => {
      const { svcStreams, Observable } = globalThis as unknown as PageScope & WebScope
      return Observable.from(svcStreams.createClient(options).price$(topic)).take(2).toArray()
    },
    [{ environment: 'testnet', priceBaseUrl, priceWsUrl }, ethTopic] as const,
  )
  expect(prices).toMatchObject([{ right: { topic: ethTopic } }, { right: { topic: ethTopic } }])
})
