import { readFileSync } from 'node:fs'
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient, type PriceClient, type Topic } from 'svc-streams'
import type { Gateway, GatewayOptions } from 'svc-streams/gateway'
import { openHistory, type PastEvent } from 'svc-streams/history'
import { describe, expect, it } from 'vitest'
import { eventsOf } from '../../backtest/history/support/files.js'
import { collectMessages } from '../../base/diagnostics/support/collect-messages.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic } from '../../support/tokens.js'
import { startTestGateway } from '../support/start-test-gateway.js'
import { newFolder } from '../../support/new-folder.js'
import { recordingsIn } from './support/folder.js'

const start = async (options: Partial<GatewayOptions['history']> = {}) => {
  const folder = newFolder()
  const simulator = await startTestSimulator()
  const client = createClientFor(simulator, {
    linger: 0,
    reconnect: { initialDelay: 20, maxDelay: 20 },
  })
  const gateway = await startTestGateway(client, { history: { folder, ...options } })
  return { folder, simulator, client, gateway }
}

const consumerOf = ({ priceBaseUrl, priceWsUrl }: Gateway): PriceClient =>
  closeAfterTest(
    createClient({
      environment: 'mainnet',
      priceBaseUrl,
      priceWsUrl,
      linger: 0,
      reconnect: { initialDelay: 20, maxDelay: 20 },
    }),
  )

const rightsOf = async (
  source: Parameters<typeof openHistory>[0],
  topic: Topic,
  from = 0,
): Promise<readonly PastEvent[]> =>
  (await eventsOf(openHistory(source).prices$(topic, { from }))).map((event) => {
    if (isRight(event)) return event.right
    throw new Error(event.left.message)
  })

const pricesOf = (events: readonly PastEvent[]): readonly number[] =>
  events.flatMap((event) => (event._tag === 'PastPrice' ? [event.price] : []))

describe('the history of a gateway', () => {
  it('has the prices that a consumer saw, also of a topic in another case, without a gap at the end', async () => {
    const { gateway, folder } = await start()
    const { values, subscription } = collectEvents(consumerOf(gateway).price$(ethTopic))
    await eventually(() => expect(values().length).toBeGreaterThan(30))
    const last = values().at(-1)!
    const events = await rightsOf(gateway.baseUrl, ethTopic.replace('af', 'AF') as Topic)
    subscription.unsubscribe()
    const seen = values().map(({ price }) => price)
    const past = pricesOf(events)
    expect(past.slice(0, seen.indexOf(last.price) + 1)).toEqual(seen.slice(0, seen.indexOf(last.price) + 1))
    expect(events[0]).toMatchObject({ _tag: 'Gap', from: 0, cause: 'unrecorded' })
    expect(events.slice(1).every(({ _tag, topic }) => _tag === 'PastPrice' && topic.includes('AF'))).toBe(
      true,
    )
    expect(await eventsOf(openHistory(recordingsIn(folder)).prices$(ethTopic, { from: 0 }))).not.toEqual([])
  })

  it('has a gap while no consumer wants the topic, and none while one does', async () => {
    const { gateway } = await start()
    const consumer = consumerOf(gateway)
    const first = collectEvents(consumer.price$(ethTopic))
    await eventually(() => expect(first.values().length).toBeGreaterThan(3))
    first.subscription.unsubscribe()
    await eventually(() => expect(gateway.inspect().topics).toEqual([]))
    const endedAt = Date.now()
    expect((await rightsOf(gateway.baseUrl, ethTopic)).at(-1)).toMatchObject({ _tag: 'Gap' })
    const second = collectEvents(consumer.price$(ethTopic))
    await eventually(() => expect(second.values().length).toBeGreaterThan(3))
    const events = await rightsOf(gateway.baseUrl, ethTopic)
    const gaps = events.flatMap((event) => (event._tag === 'Gap' ? [event] : []))
    expect(gaps).toMatchObject([{ from: 0 }, { cause: 'unrecorded' }])
    expect(gaps[1]!.from).toBeLessThanOrEqual(endedAt)
    expect(gaps[1]!.to).toBeGreaterThanOrEqual(endedAt)
  })

  it('has `topics` without a consumer, and lists the topics with their times', async () => {
    const before = Date.now()
    const { gateway } = await start({ topics: [btcTopic] })
    const history = openHistory(gateway.baseUrl)
    await eventually(async () =>
      expect(await history.topics()()).toMatchObject({ right: [{ topic: btcTopic }] }),
    )
    const topics = await history.topics()()
    const [covered] = isRight(topics) ? topics.right : []
    expect(covered!.from).toBeGreaterThanOrEqual(before)
    expect(covered!.to).toBeLessThanOrEqual(Date.now())
    expect(gateway.inspect().topics).toEqual([])
  })

  it('counts the rows that it has written, and their bytes', async () => {
    const { gateway, folder } = await start({ topics: [ethTopic] })
    await eventually(() => expect(gateway.inspect().history?.rows).toBeGreaterThan(3))
    await gateway.close()
    const [header = '', ...rows] = readFileSync(recordingsIn(folder)[0] ?? '', 'utf8').split(/(?<=\n)/)
    expect(header).toContain('"Recording"')
    expect(gateway.inspect().history).toEqual({
      folder,
      rows: rows.length,
      bytes: rows.join('').length,
      failure: undefined,
    })
  })

  it('has a topic of `topics` again after a rejection, when a consumer requests it', async () => {
    const { gateway, simulator, client } = await start()
    await gateway.close()
    simulator.inject({ rejectSubscribes: true })
    const rejections = collectMessages('svc-streams:rejected')
    const history = { folder: newFolder(), topics: [ethTopic] }
    const next = await startTestGateway(client, { history })
    await eventually(() => rejections.length > 0)
    expect(next.inspect().history).toMatchObject({ rows: 0, failure: undefined })
    simulator.inject({})
    const { subscription } = collectEvents(consumerOf(next).price$(ethTopic))
    await eventually(() => expect(next.inspect().history?.rows).toBeGreaterThan(0))
    subscription.unsubscribe()
    await eventually(() => expect(next.inspect().topics).toEqual([]))
    const { rows = 0 } = next.inspect().history ?? {}
    await eventually(() => expect(next.inspect().history?.rows).toBeGreaterThan(rows + 3))
  })

  it('has a gap for an outage of the service', async () => {
    const { gateway, simulator } = await start({ topics: [ethTopic] })
    const count = async () => pricesOf(await rightsOf(gateway.baseUrl, ethTopic)).length
    await eventually(async () => expect(await count()).toBeGreaterThan(3))
    const before = await count()
    simulator.dropConnections()
    await eventually(async () => expect(await count()).toBeGreaterThan(before + 3))
    const events = await rightsOf(gateway.baseUrl, ethTopic)
    expect(events.filter(({ _tag }) => _tag === 'Gap')).toMatchObject([
      { from: 0 },
      { cause: 'disconnected' },
    ])
  })

  it('goes on after a restart, with a gap between', async () => {
    const { gateway, folder, client } = await start({ topics: [ethTopic] })
    await eventually(async () =>
      expect(await openHistory(gateway.baseUrl).topics()()).toMatchObject({ right: [{ topic: ethTopic }] }),
    )
    await gateway.close()
    const files = recordingsIn(folder)
    const before = pricesOf(await rightsOf(files, ethTopic))
    const next = await startTestGateway(client, { history: { folder, topics: [ethTopic] } })
    await eventually(async () =>
      expect(pricesOf(await rightsOf(next.baseUrl, ethTopic)).length).toBeGreaterThan(before.length + 3),
    )
    const events = await rightsOf(next.baseUrl, ethTopic)
    expect(pricesOf(events).slice(0, before.length)).toEqual(before)
    expect(events.filter(({ _tag }) => _tag === 'Gap')).toMatchObject([{ from: 0 }, { cause: 'unrecorded' }])
    expect(recordingsIn(folder)).toHaveLength(2)
  })
})
