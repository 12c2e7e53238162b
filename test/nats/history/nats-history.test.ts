import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isRight, right } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import { natsHistory } from 'svc-streams/nats'
import { price } from 'svc-streams/testing'
import { expect, it, onTestFinished } from 'vitest'
import { encodeRow } from '../../../src/backtest/recording/format/row-codec.js'
import { topicHeader } from '../../../src/backtest/recording/format/row.js'
import { collectEvents } from '../../support/collect-events.js'
import { describeNats } from '../../support/nats/describe-nats.js'
import { connectRaw } from '../../support/nats/raw-nats.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic } from '../../support/tokens.js'
import { createNatsClient, startGatewayInProcess } from '../support/start-in-process.js'
import {
  gapsOf,
  openManager,
  pastOf,
  pricesOf,
  startCounting,
  startJetStreamServer,
} from './support/stored-history.js'

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

  it('lists its topics without the messages that are no part of a recording, and counts these', async () => {
    const { url: servers } = await startJetStreamServer()
    await startCounting(servers)
    const history = natsHistory({ servers })
    const topics = async () => {
      const result = await history.topics()()
      return isRight(result) ? result.right : []
    }
    const [before] = await topics()
    const connection = await connectRaw(onTestFinished, { servers })
    for (const subject of [ethTopic.slice(4), btcTopic.slice(4), 'not-an-address', '0xa.0xb'])
      for (const text of ['garbage\n', '']) await connection.request(`svc.history.${subject}`, text)
    const skipped: unknown[] = []
    const listen = (message: unknown): void => void skipped.push(message)
    subscribe('svc-streams:history-skipped', listen)
    onTestFinished(() => void unsubscribe('svc-streams:history-skipped', listen))
    expect(await topics()).toEqual([before])
    expect(skipped).toEqual([{ stream: 'svc-history', messages: 8 }])
  })

  it.each([
    ['no gap at its end within 35 s of the last row', 30_000, []],
    ['a gap from the last row on after that time', 60_000, [{ cause: 'unrecorded' }]],
  ])('has %s', async (_, age, expected) => {
    const { url: servers } = await startJetStreamServer()
    const { past } = await startCounting(servers)
    const at = Date.now() - age
    const rows = [
      topicHeader(btcTopic, at),
      { _tag: 'Price' as const, at, topic: btcTopic, event: right(price(btcTopic, 1, { receivedAt: at })) },
    ]
    const connection = await connectRaw(onTestFinished, { servers })
    const text = rows.map((row) => `${encodeRow(row)}\n`).join('')
    await connection.request(`svc.history.${btcTopic.slice(4)}`, text)
    expect(gapsOf(await pastOf({ servers }, btcTopic)).slice(1)).toMatchObject(expected)
    expect(pricesOf(await past())).toEqual([1])
  })
})
