import { isRight } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import { natsHistory } from 'svc-streams/nats'
import { expect, it } from 'vitest'
import { collectEvents } from '../../support/collect-events.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { createNatsClient, startGatewayInProcess } from '../support/start-in-process.js'
import { gapsOf, openManager, pastOf, pricesOf, startJetStreamServer } from './support/stored-history.js'

describeNats('the history of a gateway on NATS', () => {
  it('has the prices that a consumer saw, each once, also of a topic in another case, without a gap at the end', async () => {
    const { url: servers } = await startJetStreamServer()
    await startGatewayInProcess({ servers, history: {} })
    const { values } = collectEvents(createNatsClient({ servers }).price$(ethTopic))
    await eventually(() => expect(values().length).toBeGreaterThan(30))
    const seen = values().map(({ price }) => price)
    await eventually(async () => expect(pricesOf(await pastOf({ servers }, ethTopic))).toContain(seen.at(-1)))
    const topic = ethTopic.replace('af', 'AF') as Topic
    const past = await pastOf({ servers }, topic)
    const prices = pricesOf(past)
    const start = prices.indexOf(seen[0]!)
    expect(prices.slice(start, start + seen.length)).toEqual(seen)
    expect(gapsOf(past)).toMatchObject([{ from: 0, cause: 'unrecorded' }])
    expect(past.every((event) => event.topic === topic)).toBe(true)
  })

  it('is in a stream that is deleted by age', async () => {
    const { url: servers } = await startJetStreamServer()
    await startGatewayInProcess({ servers, history: { keep: 3_600_000 } })
    const manager = await openManager(servers)
    await eventually(async () =>
      expect((await manager.streams.info('svc-history')).config).toMatchObject({
        subjects: ['svc.history.>'],
        max_age: 3_600_000 * 1e6,
        discard: 'old',
        retention: 'limits',
        storage: 'file',
      }),
    )
  })

  it('lists its topics with their times', async () => {
    const before = Date.now()
    const { url: servers } = await startJetStreamServer()
    await startGatewayInProcess({ servers, history: {} })
    const { values } = collectEvents(createNatsClient({ servers }).price$(ethTopic))
    await eventually(() => expect(values().length).toBeGreaterThan(3))
    const history = natsHistory({ servers })
    await eventually(async () =>
      expect(await history.topics()()).toMatchObject({ right: [{ topic: ethTopic }] }),
    )
    const topics = await history.topics()()
    const [covered] = isRight(topics) ? topics.right : []
    expect(covered!.from).toBeGreaterThanOrEqual(before)
    expect(covered!.to).toBeGreaterThanOrEqual(covered!.from)
    expect(covered!.to).toBeLessThanOrEqual(Date.now())
  })
})
