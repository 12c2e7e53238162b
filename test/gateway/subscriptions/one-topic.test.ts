import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import { createClient, type Price, type PriceError, type Topic } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { createTestClient, disconnected, price } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { createPriceClient, startScriptedService } from '../../support/network/scripted-service.js'
import { newFolder } from '../../support/new-folder.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic } from '../../support/tokens.js'
import { confirmation, connect } from '../support/raw-consumer.js'
import { startTestGateway } from '../support/start-test-gateway.js'

// Events of one topic, while the connection to the service is up.

interface Addresses {
  readonly priceBaseUrl: string
  readonly priceWsUrl: string
}

const consumerOf = ({ priceBaseUrl, priceWsUrl }: Addresses) =>
  closeAfterTest(createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl }))

/** A recording with a price of each topic every 10 ms. */
const recordingOf = (at: number, count: number, ...topics: readonly Topic[]): string => {
  const path = join(newFolder(), 'recording.ndjson')
  const rows = Array.from({ length: count }, (_, index) =>
    topics.map((topic) => {
      const receivedAt = at + 10 * index
      return {
        _tag: 'Price',
        at: receivedAt,
        topic,
        event: right(price(topic, 1 + index, { receivedAt })),
      } as const
    }),
  )
  const header = { _tag: 'Recording', version: 1, at, topics, mints: [], interval: 100 } as const
  writeFileSync(path, recordingText(header, ...rows.flat()))
  return path
}

it('stays up when the next recording of a replay lacks a topic, which then has no current price', async () => {
  const at = 1_700_000_000_000
  const files = [recordingOf(at, 20, ethTopic, btcTopic), recordingOf(at + 300, 6_000, ethTopic)]
  const client = closeAfterTest(replay(files, { speed: 1 }))
  const gateway = await startTestGateway(client)
  const consumer = consumerOf(gateway)
  const eth = collectEvents(consumer.price$(ethTopic))
  const btc = collectEvents(consumer.price$(btcTopic))
  await eventually(() =>
    expect(gateway.inspect().topics).toContainEqual(
      expect.objectContaining({ topic: btcTopic, state: 'stale' }),
    ),
  )
  await eventually(() => expect(btc.tags().at(-1)).toBe('DecodeError'))
  const before = eth.values().length
  await eventually(() => expect(eth.values().length).toBeGreaterThan(before + 3))
  expect(eth.tags()).not.toContain('Disconnected')
  expect((await fetch(`${gateway.baseUrl}/health`)).status).toBe(200)
  // A new consumer is accepted, and gets no price of the topic that is gone.
  const late = await connect(gateway)
  late.subscribe(btcTopic, ethTopic)
  await eventually(() => expect(late.frames.some((frame) => frame.includes('"price"'))).toBe(true))
  expect(late.frames[0]).toBe(confirmation(btcTopic))
  expect(late.frames.filter((frame) => frame.includes(`"topic":"${btcTopic}"`))).toEqual([])
})

it('sends no price of a topic that is disconnected alone, and its next one', async () => {
  const event$ = new Subject<Either<PriceError, Price>>()
  const gateway = await startTestGateway(createTestClient({ prices: { [ethTopic]: event$ } }))
  const consumer = await connect(gateway)
  consumer.subscribe(ethTopic)
  await eventually(() => expect(consumer.frames).toEqual([confirmation(ethTopic)]))
  event$.next(right(price(ethTopic, 1)))
  event$.next(left(disconnected({ code: 1006, reason: 'lost', attempt: 1, retryInMs: 5 })))
  const late = await connect(gateway)
  late.subscribe(ethTopic)
  await eventually(() => expect(late.frames).toEqual([confirmation(ethTopic)]))
  expect(gateway.inspect().topics).toMatchObject([{ consumers: 2, state: 'stale' }])
  event$.next(right(price(ethTopic, 2)))
  await eventually(() => expect(late.frames.at(-1)).toBe(`{"topic":"${ethTopic}","price":2}`))
  expect(consumer.frames).toEqual([
    confirmation(ethTopic),
    `{"topic":"${ethTopic}","price":1}`,
    `{"topic":"${ethTopic}","price":null}`,
    `{"topic":"${ethTopic}","price":2}`,
  ])
})

it('makes no price current for any consumer after a frame of the service that has none, until the next price', async () => {
  const service = await startScriptedService({
    onSubscribe: (connection, topic) => {
      connection.sendConfirmation(topic)
      connection.sendPrice(topic, 7)
    },
  })
  const gateway = await startTestGateway(createPriceClient(service.url))
  const consumer = consumerOf(gateway)
  const events = collectEvents(consumer.price$(ethTopic))
  await eventually(() => expect(events.tags()).toEqual(['Right']))
  service.connections[0]?.send(`{"topic":"${ethTopic}","price":"newer"}`)
  await eventually(() => expect(events.tags()).toEqual(['Right', 'DecodeError']))
  // A late subscriber of the same consumer, and another consumer.
  const late = collectEvents(consumer.price$(ethTopic))
  const raw = await connect(gateway)
  raw.subscribe(ethTopic)
  await eventually(() => expect(raw.frames).toEqual([confirmation(ethTopic)]))
  expect(consumer.inspect().topics).toMatchObject([{ state: 'stale' }])
  service.connections[0]?.sendPrice(ethTopic, 8)
  await eventually(() => expect(raw.frames).toHaveLength(2))
  await eventually(() => expect(late.tags().at(-1)).toBe('Right'))
  expect(late.values().map(({ price: value }) => value)).toEqual([8])
})

it('rejects no topic of a consumer by a late text about the topic of one that has left', async () => {
  const service = await startScriptedService()
  const gateway = await startTestGateway(createPriceClient(service.url))
  const [leaving, waiting] = [await connect(gateway), await connect(gateway)]
  leaving.subscribe(btcTopic)
  await eventually(() => expect(service.connections[0]?.receivedMessages).toContain(`subscribe ${btcTopic}`))
  const events = collectEvents(consumerOf(gateway).price$(ethTopic))
  waiting.subscribe(ethTopic)
  await eventually(() => expect(service.connections[0]?.receivedMessages).toContain(`subscribe ${ethTopic}`))
  leaving.unsubscribe(btcTopic)
  await eventually(() => expect(leaving.frames).toHaveLength(1))
  const [base, quote] = [btcTopic, ethTopic].map((each) => each.slice('svc-'.length))
  service.connections[0]?.send(
    `Invalid (exchange, base, quote) tuple: svc does not support the pair (${base}, ${quote})`,
  )
  service.connections[0]?.sendConfirmation(ethTopic)
  service.connections[0]?.sendPrice(ethTopic, 9)
  await eventually(() => expect(events.tags()).toEqual(['Right']))
  expect(waiting.frames.some((frame) => frame.startsWith('Invalid'))).toBe(false)
  expect(events.isComplete()).toBe(false)
})

it('sends no price of a test client that is no finite number above 0', async () => {
  const price$ = new Subject<Price>()
  const gateway = await startTestGateway(createTestClient({ prices: { [ethTopic]: price$ } }))
  const consumer = await connect(gateway)
  consumer.subscribe(ethTopic)
  await eventually(() => expect(consumer.frames).toHaveLength(1))
  for (const value of [NaN, Infinity, 0, -1, 5]) price$.next({ ...price(ethTopic, 1), price: value })
  await eventually(() => expect(consumer.frames).toHaveLength(2))
  expect(consumer.frames[1]).toBe(`{"topic":"${ethTopic}","price":5}`)
})

it('rejects the only topic for its consumer too if the service rejects it after an outage', async () => {
  const simulator = await startTestSimulator()
  const reconnect = { initialDelay: 1, maxDelay: 20 }
  const gateway = await startTestGateway(createClientFor(simulator, { reconnect }))
  const consumer = closeAfterTest(createClient({ environment: 'testnet', ...gateway, reconnect }))
  const { tags, isComplete } = collectEvents(consumer.price$(ethTopic))
  await eventually(() => expect(tags()).toContain('Right'))
  simulator.inject({ rejectSubscribes: true })
  simulator.dropConnections()
  await eventually(() => expect([tags().at(-1), isComplete()]).toEqual(['SubscriptionRejected', true]))
})
