import { natsHistory } from 'svc-streams/nats'
import { withPast } from 'svc-streams/operators'
import { expect, it } from 'vitest'
import { joinedPrices } from '../../history/support/joined.js'
import { collectEvents } from '../../support/collect-events.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startDistantLink } from '../../support/network/distant-link.js'
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
})
