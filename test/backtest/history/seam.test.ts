import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { createClient, type PriceClient } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { withPast } from 'svc-streams/operators'
import { record } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '../../gateway/support/start-test-gateway.js'
import { eventsOf } from './support/files.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { startDistantLink } from '../../support/network/distant-link.js'
import { newFolder } from '../../support/new-folder.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { joinedPrices, pricesOf } from './support/joined.js'

/** The time between two prices, and the delay of the link in each direction, in ms. */
const tick = 5
const delay = 50

/** A gateway that records a topic, and a consumer behind a distant link that does not have the topic yet. */
const startRecorded = async () => {
  const client = createClientFor(await startTestSimulator({ tick }))
  const gateway = await startTestGateway(client, { history: { folder: newFolder() } })
  const { values } = collectEvents(client.price$(ethTopic))
  collectEvents(consumerOf(gateway.baseUrl).price$(ethTopic))
  await eventually(() => expect(values().length).toBeGreaterThan(100))
  const url = await startDistantLink(gateway.baseUrl, delay)
  const past$ = openHistory(url).prices$(ethTopic, { from: Date.now() - 60_000 })
  const recorded = async (): Promise<readonly number[]> =>
    pricesOf(await eventsOf(openHistory(gateway.baseUrl).prices$(ethTopic, { from: 0 })))
  return { consumer: consumerOf(url), past$, recorded }
}

const consumerOf = (url: string): PriceClient =>
  closeAfterTest(
    createClient({ environment: 'mainnet', priceBaseUrl: url, priceWsUrl: url.replace('http', 'ws') }),
  )

describe('a past and a live stream that starts later', () => {
  it('are one sequence: no price of a gateway is missing, and none comes twice', async () => {
    const { consumer, past$, recorded } = await startRecorded()
    const prices = await joinedPrices(consumer.price$(ethTopic).pipe(withPast(past$)))
    expect(prices).toEqual((await recorded()).slice(0, prices.length))
  })

  it('have a gap between them if the recorder is another client: prices may be missing', async () => {
    const simulator = await startTestSimulator({ tick })
    const path = join(newFolder(), 'market.ndjson')
    const recorder = record(createClientFor(simulator), { topics: [ethTopic], to: path })
    const past = (): Promise<readonly number[]> =>
      eventsOf(openHistory([path]).prices$(ethTopic, { from: 0 })).then(pricesOf)
    await eventually(async () => expect((await past()).length).toBeGreaterThan(100))
    const url = await startDistantLink(simulator.priceWsUrl, delay)
    const past$ = openHistory([path]).prices$(ethTopic, { from: 0 })
    const { events } = collectEvents(
      consumerOf(url.replace('ws', 'http')).price$(ethTopic).pipe(withPast(past$)),
    )
    const tags = (): readonly string[] =>
      events.map((event) => (isLeft(event) ? 'Left' : '_tag' in event.right ? event.right._tag : 'Price'))
    await eventually(() => expect(tags().indexOf('CaughtUp')).toBeGreaterThan(0))
    await eventually(() => expect(tags().length).toBeGreaterThan(tags().indexOf('CaughtUp') + 20))
    await recorder.stop()
    expect(tags().join(' ')).toMatch(/^Gap( PastPrice)+ Gap CaughtUp( Price)+$/)
    const border = tags().indexOf('CaughtUp')
    const recorded = await past()
    const [before, live] = [pricesOf(events.slice(0, border)), pricesOf(events.slice(border))]
    expect(before).toEqual(recorded.slice(0, before.length))
    const fromBorder = recorded.slice(recorded.indexOf(live[0]!))
    expect(live.slice(0, fromBorder.length)).toEqual(fromBorder.slice(0, live.length))
    expect(events[border - 1]).toMatchObject({ right: { topic: ethTopic, cause: 'unrecorded' } })
  })
})
