import { natsHistory, startNatsGateway } from 'svc-streams/nats'
import { withPast } from 'svc-streams/operators'
import { expect, it } from 'vitest'
import { joinedPrices, pricesOf as joinedPricesOf } from '../../backtest/history/support/joined.js'
import { joinOften, lastPrice, startService } from '../../backtest/history/support/numbered-service.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startDistantLink } from '../../support/network/distant-link.js'
import { createPriceClient } from '../../support/network/scripted-service.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { createNatsClient, startGatewayInProcess } from '../support/start-in-process.js'
import { pastOf, pricesOf, startJetStreamServer } from './support/stored-history.js'

describeNats('a past on NATS and a live stream that starts later', () => {
  it('are one sequence over a distant link: no price is missing, and none comes twice', async () => {
    const { url } = await startJetStreamServer()
    await startGatewayInProcess({ servers: url, history: {} })
    const { values } = collectEvents(createNatsClient({ servers: url }).price$(ethTopic))
    await eventually(() => expect(values().length).toBeGreaterThan(100))
    const servers = await startDistantLink(url, 50)
    const past$ = natsHistory({ servers }).prices$(ethTopic, { from: Date.now() - 60_000 })
    const prices = await joinedPrices(createNatsClient({ servers }).price$(ethTopic).pipe(withPast(past$)))
    await eventually(async () => {
      const stored = pricesOf(await pastOf({ servers: url }, ethTopic))
      expect(prices).toEqual(stored.slice(0, prices.length))
    })
  })

  it.each([
    ['distinct', (n: number) => n],
    ['equal', () => 7],
  ])('contain each price once, in order, if prices are %s', async (_, priceOf) => {
    const { url: servers } = await startJetStreamServer()
    const service = await startService(priceOf)
    closeAfterTest(await startNatsGateway(createPriceClient(service.url), { servers, history: {} }))
    // The gateway stores what a consumer wants.
    collectEvents(createNatsClient({ servers }).price$(ethTopic))
    const joined = await joinOften(service, () => {
      const past$ = natsHistory({ servers }).prices$(ethTopic, { from: 0 })
      return collectEvents(createNatsClient({ servers }).price$(ethTopic).pipe(withPast(past$))).events
    })
    for (const events of joined) {
      await eventually(() => expect(joinedPricesOf(events).at(-1)).toBe(lastPrice))
      expect(joinedPricesOf(events)).toEqual(service.sent)
    }
  })
})
