import { isRight } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, takeWhile, toArray } from 'rxjs'
import { natsHistory } from 'svc-streams/nats'
import { withPast } from 'svc-streams/operators'
import { expect, it } from 'vitest'
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
    const joined$ = createNatsClient({ servers }).price$(ethTopic).pipe(withPast(past$), filter(isRight))
    let liveCount = 0
    const joined = await firstValueFrom(
      joined$.pipe(
        takeWhile(({ right }) => '_tag' in right || ++liveCount < 20, true),
        toArray(),
      ),
    )
    const prices = joined.flatMap(({ right }) => ('price' in right ? [right.price] : []))
    expect(prices.length).toBeGreaterThan(100)
    await eventually(async () => {
      const stored = pricesOf(await pastOf({ servers: url }, ethTopic))
      expect(prices).toEqual(stored.slice(0, prices.length))
    })
  })
})
