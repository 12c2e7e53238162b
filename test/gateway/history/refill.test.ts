import { isRight } from 'fp-ts/lib/Either.js'
import { interval } from 'rxjs'
import { createClient } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { candles, withPast } from 'svc-streams/operators'
import { startTcpProxy } from 'svc-streams/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { manualMarket } from '../../support/manual-market.js'
import { newFolder } from '../../support/new-folder.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { startTestGateway } from '../support/start-test-gateway.js'

/** A service with prices that increase by 1, and a gateway that records them. */
const startRecorded = async () => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  const history = { folder: newFolder(), topics: [ethTopic] }
  const gateway = await startTestGateway(createClientFor(simulator), { history })
  let price = 2500
  const emitting = interval(5).subscribe(() => market.update({ price: ++price }))
  onTestFinished(() => emitting.unsubscribe())
  return { simulator, gateway }
}

it.each(['gateway', 'simulator'] as const)(
  'gives each price once to a consumer whose connection to the %s is cut again and again',
  async (upstream) => {
    const started = await startRecorded()
    const { priceBaseUrl, priceWsUrl } = started[upstream]
    const network = closeAfterTest(await startTcpProxy({ target: priceWsUrl }))
    const reconnect = { initialDelay: 100, maxDelay: 100 }
    const client = closeAfterTest(
      createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl: network.url, reconnect }),
    )
    const past = { history: openHistory(started.gateway.baseUrl), topic: ethTopic }
    const prices: number[] = []
    const tags: string[] = []
    let interruptions = 0
    const price$ = client.price$(ethTopic)
    price$.pipe(withPast(past, { refill: true })).subscribe((event) => {
      const value = isRight(event) ? event.right : event.left
      if ('price' in value) prices.push(value.price)
      tags.push('_tag' in value ? value._tag : 'Price')
    })
    price$.pipe(candles(20, { past, refill: true })).subscribe((event) => {
      if (isRight(event)) interruptions += event.right.interruptions
    })
    // The first probe of a connection holds prices, and only the newest of those is delivered.
    await eventually(() => expect(prices.length).toBeGreaterThan(10))
    prices.splice(0)
    for (let cuts = 1; cuts <= 5; cuts++) {
      const count = prices.length
      await eventually(() => expect(prices.length).toBeGreaterThan(count + 10))
      network.cut()
      await eventually(() => expect(tags.filter((tag) => tag === 'Disconnected').length).toBe(cuts))
    }
    const count = prices.length
    await eventually(() => expect(prices.length).toBeGreaterThan(count + 10))
    const [first = 0] = prices
    expect(prices).toEqual(prices.map((_, index) => first + index))
    expect(tags).toContain('PastPrice')
    expect(tags).not.toContain('Gap')
    expect(interruptions).toBe(0)
  },
)
