import { once } from 'node:events'
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { createClient, type ClientOptions, type Price, type PriceError, type Topic } from 'svc-streams'
import type { Gateway, GatewayOptions } from 'svc-streams/gateway'
import { describe, expect, it } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic } from '../../support/tokens.js'
import { confirmation, connect } from '../support/raw-consumer.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const unknownTopic: Topic = 'svc-0xdead'

/** A service whose prices the test sets, a client of it, and a gateway. */
const start = async (options: GatewayOptions = {}, clientOptions: Partial<ClientOptions> = {}) => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  const { authKey, ...addresses } = simulator
  const client = closeAfterTest(
    createClient({
      environment: 'mainnet',
      ...addresses,
      authKey,
      linger: 0,
      reconnect: { initialDelay: 20, maxDelay: 20 },
      ...clientOptions,
    }),
  )
  return { market, simulator, client, gateway: await startTestGateway(client, options) }
}

/** A client of a gateway, and the events of a topic that it receives. */
const consume = (gateway: Gateway, topic: Topic, options: Partial<ClientOptions> = {}) => {
  const consumer = closeAfterTest(
    createClient({
      environment: 'testnet',
      priceBaseUrl: gateway.priceBaseUrl,
      priceWsUrl: gateway.priceWsUrl,
      reconnect: { initialDelay: 20, maxDelay: 20 },
      ...options,
    }),
  )
  const events: Either<PriceError, Price>[] = []
  const subscription = consumer.price$(topic).subscribe((event) => events.push(event))
  return { consumer, events, subscription }
}

const tagsOf = (events: readonly Either<PriceError, Price>[]): readonly string[] =>
  events.map((event) => (isRight(event) ? String(event.right.price) : event.left._tag))

const wanted = ({ inspect }: Gateway): readonly string[] => inspect().topics.map(({ topic }) => topic)

describe('the demand', () => {
  it('subscribes to a topic once, in whatever case, and unsubscribes when the last consumer leaves', async () => {
    const { simulator, gateway } = await start()
    const [first, second] = [await connect(gateway), await connect(gateway)]
    first.subscribe(ethTopic)
    second.subscribe(ethTopic.replace('af', 'AF'), btcTopic)
    await eventually(() => expect([first.frames.length, second.frames.length]).toEqual([2, 4]))
    expect(simulator.connections.map(({ topics }) => topics)).toEqual([[ethTopic, btcTopic]])
    first.unsubscribe(ethTopic)
    second.unsubscribe(btcTopic)
    await eventually(() => expect(simulator.connections.map(({ topics }) => topics)).toEqual([[ethTopic]]))
    second.webSocket.terminate()
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(gateway.inspect()).toMatchObject({ connections: 1, topics: [] })
  })

  it('answers each message: with all confirmed topics of the connection, up to 16', async () => {
    const { gateway } = await start()
    const consumer = await connect(gateway)
    consumer.subscribe(ethTopic)
    await eventually(() => expect(consumer.frames).toHaveLength(2))
    consumer.subscribe(btcTopic)
    await eventually(() => expect(consumer.frames).toHaveLength(4))
    consumer.subscribe(ethTopic)
    consumer.unsubscribe(ethTopic)
    consumer.unsubscribe(unknownTopic)
    await eventually(() => expect(consumer.frames).toHaveLength(7))
    expect(consumer.frames.filter((frame) => frame.includes('subscriptions'))).toEqual([
      confirmation(ethTopic),
      confirmation(ethTopic, btcTopic),
      confirmation(ethTopic, btcTopic),
      confirmation(btcTopic),
      confirmation(btcTopic),
    ])
  })

  it('answers what is no request with an error text, and serves the connection further', async () => {
    const { gateway } = await start({ maxTopicsPerConnection: 1 })
    const consumer = await connect(gateway)
    consumer.webSocket.send('{')
    consumer.webSocket.send('{"method":"get","topic":1}')
    consumer.webSocket.send(Buffer.from([1]))
    consumer.subscribe('svc-82af', 'acme-0xaa', `svc-0x${'a'.repeat(300)}`, ethTopic)
    await eventually(() => expect(consumer.frames).toContain(confirmation(ethTopic)))
    consumer.subscribe(btcTopic, ethTopic)
    await eventually(() => expect(consumer.frames).toHaveLength(10))
    expect(consumer.frames.filter((frame) => frame.startsWith('Invalid request: '))).toEqual([
      expect.stringContaining('expected a JSON object'),
      expect.stringMatching(
        /method: expected subscribe or unsubscribe, got "get".* topic: expected string, got 1/,
      ),
      'Invalid request: expected a text frame',
      'Invalid request: svc-82af is no topic: expected svc-0x<hex digits>',
      'Invalid request: acme-0xaa is no topic: expected svc-0x<hex digits>',
      expect.stringMatching(/^Invalid request: svc-0xa+… is no topic/),
      `Invalid request: ${btcTopic} is one topic more than the 1 of a connection`,
    ])
    expect(consumer.frames.at(-1)).toBe(confirmation(ethTopic))
  })

  it('passes a rejection to those that asked for the topic, with the text of the service', async () => {
    const { gateway } = await start()
    const [first, second, other] = [await connect(gateway), await connect(gateway), await connect(gateway)]
    other.subscribe(ethTopic)
    first.subscribe(unknownTopic)
    second.subscribe(unknownTopic)
    await eventually(() => expect([first.frames.length, second.frames.length]).toEqual([1, 1]))
    await eventually(() => expect(other.frames).toHaveLength(2))
    expect(first.frames).toEqual([
      expect.stringMatching(/^Invalid \(exchange, base, quote\) tuple: .*0xdead/),
    ])
    expect(second.frames).toEqual(first.frames)
    expect(other.frames[0]).toBe(confirmation(ethTopic))
    expect(wanted(gateway)).toEqual([ethTopic])
    // The next request asks the service again.
    first.subscribe(unknownTopic)
    await eventually(() => expect(first.frames).toHaveLength(2))
  })

  it('confirms a topic when the service has, and not before', async () => {
    const { simulator, gateway } = await start({}, { confirmTimeout: 50 })
    simulator.inject({ confirmations: 'none', stall: true })
    const { events } = consume(gateway, ethTopic, { confirmTimeout: 50 })
    await eventually(() => expect(tagsOf(events)).toContain('SubscriptionTimeout'))
    simulator.inject({})
    await eventually(() => expect(tagsOf(events)).toContain('2500'))
  })
})

describe('the freshness', () => {
  it('passes a live price on without an age, and the last price to a new consumer with its age', async () => {
    const { market, client, gateway } = await start()
    const first = await connect(gateway)
    first.subscribe(ethTopic)
    await eventually(() => expect(first.frames).toHaveLength(2))
    market.update({ price: 2501.5 })
    await eventually(() => expect(first.frames).toHaveLength(3))
    expect(first.frames).toEqual([
      confirmation(ethTopic),
      `{"topic":"${ethTopic}","price":2500}`,
      `{"topic":"${ethTopic}","price":2501.5}`,
    ])
    // The age is a whole number of ms: a later consumer gets at least this one.
    await eventually(() => expect(client.inspect().topics[0]?.lastPriceAgeMs).toBeGreaterThanOrEqual(20))
    const second = await connect(gateway)
    second.subscribe(ethTopic)
    await eventually(() => expect(second.frames).toHaveLength(2))
    const aged = JSON.parse(second.frames[1] ?? '') as { readonly age: number }
    expect(aged).toEqual({ topic: ethTopic, price: 2501.5, age: expect.any(Number) as number })
    expect(aged.age).toBeGreaterThanOrEqual(20)
    // Both consumers count the two prices alike: the first one from the confirmation on.
    const [{ run }] = first.positions as [{ readonly run: string }]
    expect(first.positions).toEqual([{ topic: ethTopic, run, count: 0 }])
    // Prices may be left out until the service has answered the probe for this consumer.
    expect(second.positions).toEqual([{ run, count: 2 }])
    market.update({ price: 2502 })
    await eventually(() => expect(second.frames.at(-1)).toBe(`{"topic":"${ethTopic}","price":2502}`))
  })

  it('adds the ages of two gateways', async () => {
    const { client, gateway } = await start()
    const { consumer: middle } = consume(gateway, btcTopic)
    const last = await startTestGateway(middle)
    consume(gateway, ethTopic)
    await eventually(() => expect(client.inspect().topics[1]?.lastPriceAgeMs).toBeGreaterThanOrEqual(50))
    const consumer = await connect(last)
    consumer.subscribe(ethTopic)
    await eventually(() => expect(consumer.frames).toHaveLength(2))
    // The second gateway has received the price just now.
    const { age } = JSON.parse(consumer.frames[1] ?? '') as { readonly age: number }
    expect(age).toBeGreaterThanOrEqual(50)
  })

  it('sends nothing of a topic that is stale at the service, and makes no value of a price that is too old', async () => {
    const { market, gateway } = await start({}, { staleAfter: 150 })
    const first = await connect(gateway)
    first.subscribe(ethTopic)
    await eventually(() => expect(gateway.inspect().topics).toMatchObject([{ state: 'stale' }]))
    const second = await connect(gateway)
    second.subscribe(ethTopic)
    await eventually(() => expect(second.frames).toEqual([confirmation(ethTopic)]))
    const { events } = consume(gateway, ethTopic, { staleAfter: 60 })
    await eventually(() => expect(tagsOf(events)).toEqual(['Stale']))
    market.update({ price: 2503 })
    await eventually(() => expect(tagsOf(events)).toEqual(['Stale', '2503', 'Stale']))
    expect(second.frames).toEqual([confirmation(ethTopic), `{"topic":"${ethTopic}","price":2503}`])
  })
})

describe('when the service is down', () => {
  it('ends all connections with 1013 and the reason, refuses upgrades with 503, and returns by itself', async () => {
    const { simulator, gateway } = await start()
    const consumer = await connect(gateway)
    consumer.subscribe(ethTopic)
    await eventually(() => expect(consumer.frames).toHaveLength(2))
    const { events } = consume(gateway, ethTopic)
    await eventually(() => expect(tagsOf(events)).toEqual(['2500']))
    simulator.inject({ refuseUpgrades: 502 })
    simulator.dropConnections()
    await eventually(() => expect(consumer.closed()).toBeDefined())
    expect(consumer.closed()).toEqual({
      code: 1013,
      reason: expect.stringMatching(/^the service is down: \S/) as string,
    })
    await expect(connect(gateway)).rejects.toThrow('503')
    await eventually(() =>
      expect(gateway.inspect()).toMatchObject({ connections: 0, topics: [{ state: 'down' }] }),
    )
    expect((await fetch(`${gateway.baseUrl}/health`)).status).toBe(503)
    // Nobody is connected, and the gateway connects again all the same.
    simulator.inject({})
    await eventually(() => expect(simulator.connections.map(({ topics }) => topics)).toEqual([[ethTopic]]))
    await eventually(() => expect(tagsOf(events).at(-1)).toBe('2500'))
    expect(tagsOf(events)).toContain('Disconnected')
    expect((await fetch(`${gateway.baseUrl}/health`)).status).toBe(200)
  })

  it('keeps no connection, topic or listener, however often that happens', async () => {
    const { simulator, gateway } = await start({}, { reconnect: { initialDelay: 1, maxDelay: 1 } })
    const { events } = consume(gateway, ethTopic, { reconnect: { initialDelay: 1, maxDelay: 1 } })
    await eventually(() => expect(tagsOf(events)).toEqual(['2500']))
    for (let count = 1; count <= 100; count++) {
      simulator.dropConnections()
      await eventually(() => tagsOf(events).filter((tag) => tag === 'Disconnected').length >= count)
      await eventually(() => expect(tagsOf(events.slice(-1))).toEqual(['2500']))
    }
    // A drop may cause several `Disconnected`: the last one may still be in progress.
    await eventually(() => {
      expect(simulator.connections).toHaveLength(1)
      expect(gateway.inspect()).toMatchObject({ connections: 1, topics: [{ topic: ethTopic, consumers: 1 }] })
    })
  })
})

describe('the limits', () => {
  it('refuse a connection beyond maxConnections, until another has ended', async () => {
    const { gateway } = await start({ maxConnections: 2 })
    const [first] = [await connect(gateway), await connect(gateway)]
    await expect(connect(gateway)).rejects.toThrow('503')
    first.webSocket.close()
    await eventually(() => expect(gateway.inspect().connections).toBe(1))
    await connect(gateway)
  })

  it('close a message of more than 16 kB with 1009, and an upgrade with another path with 404', async () => {
    const { gateway } = await start()
    const consumer = await connect(gateway)
    consumer.webSocket.send('x'.repeat(16 * 1024 + 1))
    await eventually(() => expect(consumer.closed()?.code).toBe(1009))
    for (const path of ['/prices', '//']) {
      await expect(connect({ priceWsUrl: gateway.priceWsUrl + path })).rejects.toThrow('404')
    }
    await connect({ priceWsUrl: `${gateway.priceWsUrl}/?key=1` })
  })

  it('hold for a storm of subscribe messages, and leave the other connections alone', async () => {
    const { gateway } = await start({ maxTopicsPerConnection: 50 })
    const [storm, other] = [await connect(gateway), await connect(gateway)]
    other.subscribe(ethTopic)
    const names = Array.from({ length: 5_000 }, (_, index): Topic => `svc-0x${index.toString(16)}`)
    storm.subscribe(...names)
    for (let count = 0; count < 5_000; count++) storm.subscribe(ethTopic, ethTopic)
    storm.unsubscribe(ethTopic)
    // The service rejects the others, and makes room for further ones.
    const refusals = () => storm.frames.filter((frame) => frame.startsWith('Invalid')).length
    await eventually(() => expect(refusals()).toBeGreaterThan(4_900))
    // Those of the storm, and the one of the other connection, which the storm has left by now or not.
    expect(gateway.inspect().topics.length).toBeLessThanOrEqual(50 + 1)
    storm.webSocket.terminate()
    await eventually(() =>
      expect(gateway.inspect().topics).toMatchObject([{ topic: ethTopic, consumers: 1 }]),
    )
    expect(other.closed()).toBeUndefined()
  })

  it('hold with 1,000 connections, whose topics are one subscription', async () => {
    const { market, simulator, gateway } = await start()
    const consumers = await Promise.all(Array.from({ length: 1_000 }, () => connect(gateway)))
    for (const consumer of consumers) consumer.subscribe(ethTopic)
    await eventually(() => consumers.every(({ frames }) => frames.length === 2))
    market.update({ price: 2504 })
    await eventually(() => consumers.every(({ frames }) => frames.at(-1)?.includes('2504')))
    expect(gateway.inspect()).toMatchObject({ connections: 1_000, topics: [{ consumers: 1_000 }] })
    expect(simulator.frames).toHaveLength(1)
    for (const { webSocket } of consumers) webSocket.terminate()
    await eventually(() => expect(gateway.inspect()).toMatchObject({ connections: 0, topics: [] }))
  })

  it('cut off a consumer that does not read its answers with 1013, and no other', async () => {
    const { market, gateway } = await start({ maxBufferedBytes: 20_000, maxMessagesPerSecond: 100_000 })
    const [slow, fast] = [await connect(gateway), await connect(gateway)]
    slow.subscribe(ethTopic)
    fast.subscribe(ethTopic)
    await eventually(() => expect(slow.frames).toHaveLength(2))
    slow.webSocket.pause()
    let price = 1
    await eventually(() => {
      for (let count = 0; count < 1_000; count++) slow.subscribe(`svc-${'x'.repeat(200)}`)
      market.update({ price: ++price })
      return gateway.inspect().connections === 2 && gateway.inspect().topics[0]?.consumers === 1
    })
    slow.webSocket.resume()
    await eventually(() => expect(slow.closed()?.code).toBe(1013))
    expect(slow.closed()?.reason).toBe('too far behind: more than 20000 bytes are unsent')
    await eventually(() => expect(fast.frames.at(-1)).toBe(`{"topic":"${ethTopic}","price":${price}}`))
    expect(fast.frames).toHaveLength(price + 1)
  })
})

it('ends with its connections, and leaves the client as it is', async () => {
  const { client, gateway } = await start()
  const consumer = await connect(gateway)
  consumer.subscribe(ethTopic)
  await eventually(() => expect(consumer.frames).toHaveLength(2))
  const closed = once(consumer.webSocket, 'close')
  await gateway.close()
  await closed
  expect(consumer.closed()).toEqual({ code: 1001, reason: 'the gateway is closing' })
  await eventually(() => expect(client.inspect()).toMatchObject({ status: { _tag: 'Idle' }, topics: [] }))
})
