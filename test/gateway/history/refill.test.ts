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

interface Received {
  readonly tag: string
  readonly price: number | undefined
}

/** A connection begins with the price that is in force: that before the cut, if there is no newer one. */
const isInForce = (events: readonly Received[], { tag, price }: Received): boolean =>
  tag === 'Price' &&
  events.at(-1)?.tag === 'Disconnected' &&
  price === events.findLast((event) => event.price !== undefined)?.price

/**
 * The prices that do not follow the one before, from each `Disconnected` to the next live price. A gateway leaves out
 * prices between live ones if the machine is slow.
 */
const missingAfterCuts = (events: readonly Received[]) => {
  const missing: string[] = []
  let last: number | undefined
  let isCut = false
  for (const { tag, price } of events) {
    if (tag === 'Disconnected') isCut = true
    if (price === undefined) continue
    if (isCut && last !== undefined && price !== last + 1) missing.push(`${price} after ${last}`)
    last = price
    if (tag === 'Price') isCut = false
  }
  return missing
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
    const events: Received[] = []
    let interruptions = 0
    const price$ = client.price$(ethTopic)
    price$.pipe(withPast(past, { refill: true })).subscribe((event) => {
      const value = isRight(event) ? event.right : event.left
      const price = 'price' in value ? value.price : undefined
      const received = { tag: '_tag' in value ? value._tag : 'Price', price }
      if (!isInForce(events, received)) events.push(received)
    })
    price$.pipe(candles(20, { past, refill: true })).subscribe((event) => {
      if (isRight(event)) interruptions += event.right.interruptions
    })
    const untilPrices = async (): Promise<void> => {
      const { length } = events
      await eventually(() => expect(events.length).toBeGreaterThan(length + 10))
    }
    for (let cuts = 1; cuts <= 5; cuts++) {
      await untilPrices()
      network.cut()
      await eventually(() => expect(events.filter(({ tag }) => tag === 'Disconnected').length).toBe(cuts))
    }
    await untilPrices()
    const prices = events.flatMap(({ price }) => price ?? [])
    expect(prices).toEqual([...new Set(prices)].sort((one, other) => one - other))
    expect(missingAfterCuts(events)).toEqual([])
    expect(events.map(({ tag }) => tag)).toContain('PastPrice')
    expect(events.map(({ tag }) => tag)).not.toContain('Gap')
    expect(interruptions).toBe(0)
  },
)
