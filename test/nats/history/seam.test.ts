import { isRight } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, take, toArray } from 'rxjs'
import { natsHistory } from 'svc-streams/nats'
import { withPast } from 'svc-streams/operators'
import { startTcpProxy } from 'svc-streams/simulator'
import { expect, it } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { createNatsClient, startGatewayInProcess } from '../support/start-in-process.js'
import { pastOf, pricesOf, startJetStreamServer } from './support/stored-history.js'

describeNats('a past on NATS and a live stream that starts later', () => {
  it('are one sequence over a slow link: no price is missing, and none comes twice', async () => {
    const { url } = await startJetStreamServer()
    await startGatewayInProcess({ servers: url, history: {} })
    const { values } = collectEvents(createNatsClient({ servers: url }).price$(ethTopic))
    await eventually(() => expect(values().length).toBeGreaterThan(100))
    const link = closeAfterTest(await startTcpProxy({ target: url.replace('nats:', 'http:') }))
    link.delay(50)
    const servers = link.url.replace('http:', 'nats:')
    const past$ = natsHistory({ servers }).prices$(ethTopic, { from: Date.now() - 60_000 })
    const joined = await firstValueFrom(
      createNatsClient({ servers })
        .price$(ethTopic)
        .pipe(withPast(past$), filter(isRight), take(300), toArray()),
    )
    const prices = joined.flatMap(({ right }) => ('price' in right ? [right.price] : []))
    await eventually(async () => {
      const stored = pricesOf(await pastOf({ servers: url }, ethTopic))
      expect(prices).toEqual(stored.slice(0, prices.length))
    })
  })
})
