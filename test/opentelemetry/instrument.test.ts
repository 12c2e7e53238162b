import { channel } from 'node:diagnostics_channel'
import { metrics, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { NEVER, type Subscription } from 'rxjs'
import { createClient } from 'svc-streams'
import { instrument } from 'svc-streams/opentelemetry'
import type { Simulator } from 'svc-streams/simulator'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it, vi } from 'vitest'
import { connect } from '../gateway/support/raw-consumer.js'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { whenBehind, whenMeasured } from '../base/diagnostics/support/connection-state.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../support/tokens.js'
import { channelNames } from './support/channel-names.js'
import { startInstrumentation } from './support/exported.js'

const soon = { initialDelay: 1, maxDelay: 1 }
const unknown = 'svc-0xdead' as const

const serverOf = (url: string) => {
  const { hostname, port } = new URL(url)
  return { 'server.address': hostname, 'server.port': Number(port) }
}

describe('the metrics of a client, over real sockets,', () => {
  it('count dials, connections, and disconnects by cause', async () => {
    const { collect, value } = startInstrumentation()
    const simulator = await startTestSimulator({ faults: { refuseUpgrades: 503 } })
    const server = serverOf(simulator.priceWsUrl)
    const client = createClientFor(simulator, { reconnect: soon })
    const { values } = collectEvents(client.price$(ethTopic))
    await eventually(() => client.inspect().status._tag === 'Waiting')
    simulator.inject({})
    await eventually(() => values().length > 0)
    simulator.dropConnections(4001)
    await eventually(() => values().at(-1)?.epoch === 2)
    await client.close()
    await collect()
    const disconnects = (cause: string) =>
      value('svc_streams.connection.disconnects', { ...server, 'svc_streams.disconnect.cause': cause })
    expect(disconnects('dial-failed')).toBeGreaterThan(0)
    expect(disconnects('lost')).toBe(1)
    expect(value('svc_streams.connection.disconnects', { 'svc_streams.close.code': '4xxx' })).toBe(1)
    expect(disconnects('client')).toBe(1)
    expect(value('svc_streams.connection.connect.duration', server)).toBe(2)
    expect(value('svc_streams.connection.attempts', { 'svc_streams.reconnect': false })).toBe(1)
    expect(value('svc_streams.connection.attempts', { 'svc_streams.reconnect': true })).toBe(
      disconnects('dial-failed') + 1,
    )
  })

  it('count prices, also those of connections that have ended', async () => {
    const { collect, value } = startInstrumentation()
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { reconnect: soon })
    const { values } = collectEvents(client.price$(ethTopic))
    await eventually(() => values().length > 5)
    simulator.dropConnections()
    await eventually(() => values().at(-1)?.epoch === 2)
    await client.close()
    await collect()
    expect(value('svc_streams.received.prices')).toBe(values().length)
  })

  it('count failures of topics and messages without a topic, by kind', async () => {
    const { collect, value } = startInstrumentation()
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { staleAfter: 100, confirmTimeout: 100 })
    const rejected = collectEvents(client.price$(unknown))
    const live = collectEvents(client.price$(ethTopic))
    await eventually(() => rejected.isComplete() && live.values().length > 0)
    simulator.send('something is wrong')
    simulator.send(`{"topic":"${ethTopic}","price":"1"}`)
    await eventually(() => expect(live.tags()).toContain('DecodeError'))
    simulator.inject({ stall: true })
    const pending = collectEvents(client.price$(btcTopic))
    await eventually(() => live.tags().at(-1) === 'Stale' && pending.tags().includes('SubscriptionTimeout'))
    await collect()
    const failures = (type: string) => value('svc_streams.topic.failures', { 'error.type': type })
    expect([failures('SubscriptionRejected'), failures('Stale')]).toEqual([1, 1])
    expect(failures('SubscriptionTimeout')).toBeGreaterThan(0)
    expect(value('svc_streams.decode.errors')).toBe(1)
    expect(value('svc_streams.uncorrelated.errors', { 'svc_streams.message.kind': 'error-text' })).toBe(1)
    expect(value('svc_streams.price.max_age')).toBeGreaterThanOrEqual(0.1)
  })

  it('measure the lag of the prices, and count and time the connections that are behind', async () => {
    const { collect, value } = startInstrumentation()
    const simulator = await startTestSimulator()
    const { priceWsUrl } = simulator
    const server = serverOf(priceWsUrl)
    collectEvents(createClientFor(simulator, { maxLag: 2_000 }).price$(ethTopic))
    await whenMeasured(priceWsUrl)
    simulator.inject({ stall: true })
    await whenBehind(priceWsUrl)
    await collect()
    expect(value('svc_streams.connection.lag', server)).toBeGreaterThanOrEqual(2)
    expect(value('svc_streams.connection.behind', server)).toBe(1)
    expect(value('svc_streams.connection.behind.duration', server)).toBe(0)
    simulator.inject({})
    await whenBehind(priceWsUrl, false)
    await collect()
    expect(value('svc_streams.connection.behind', server)).toBe(1)
    expect(value('svc_streams.connection.behind.duration', server)).toBe(1)
  })

  it('count changes of the line, connections that stand by, and each topic once', async () => {
    const { collect, value } = startInstrumentation()
    const simulators = await Promise.all([startTestSimulator(), startTestSimulator()])
    const urls = simulators.map(({ priceWsUrl }) => priceWsUrl)
    const { priceBaseUrl } = simulators[0]
    const client = closeAfterTest(
      createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl: urls, lines: 2 }),
    )
    const { values } = collectEvents(client.price$(ethTopic))
    const standby = { 'svc_streams.connection.standby': true, 'svc_streams.connection.state': 'open' }
    await eventually(() => values().length > 0 && client.inspect().lines.every(({ lagMs }) => lagMs !== null))
    await collect()
    expect(value('svc_streams.connection.count', standby)).toBe(1)
    expect(value('svc_streams.topic.count', { 'svc_streams.topic.state': 'live' })).toBe(1)
    const front = client.inspect().lines.findIndex(({ isFront }) => isFront)
    simulators[front]!.dropConnections()
    await eventually(() => client.inspect().lines.find(({ isFront }) => isFront)?.url === urls[1 - front])
    await collect()
    expect(value('svc_streams.connection.switches', serverOf(urls[1 - front]!))).toBe(1)
  })

  it('count connections and topics that were there before the instrumentation', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const streams = [ethTopic, btcTopic].map((topic) => collectEvents(client.price$(topic)))
    await eventually(() => streams.every(({ values }) => values().length > 0))
    const { collect, value } = startInstrumentation()
    await collect()
    expect(value('svc_streams.connection.count', { 'svc_streams.connection.state': 'open' })).toBe(1)
    expect(value('svc_streams.topic.count', { 'svc_streams.topic.state': 'live' })).toBe(2)
    await client.close()
    await collect()
    expect([value('svc_streams.connection.count'), value('svc_streams.topic.count')]).toEqual([0, 0])
  })

  it('measure polls and requests, with the status or the error', async () => {
    const { collect, value, spans } = startInstrumentation()
    const simulator = await startTestSimulator()
    const server = serverOf(simulator.baseUrl)
    const client = createClientFor(simulator, { reconnect: soon })
    const depth = collectEvents(client.depth$(weth, 5))
    await eventually(() => depth.values().length > 0)
    await collect()
    expect(value('svc_streams.poll.count', server)).toBe(1)
    simulator.inject({ httpStatus: 503 })
    await eventually(() => expect(depth.tags()).toContain('HttpError'))
    depth.subscription.unsubscribe()
    await client.price(unknown)()
    const ended = spans()
    await collect()
    expect(value('svc_streams.poll.duration', { ...server, 'error.type': 'HttpError' })).toBe(
      ended.filter(({ status }) => status.code === SpanStatusCode.ERROR).length,
    )
    expect(value('svc_streams.poll.duration')).toBe(ended.length)
    const route = { 'http.request.method': 'GET', 'url.template': '/v0/order_book/depth/{mint}', ...server }
    const requests = (attributes: object) =>
      value('http.client.request.duration', { ...route, ...attributes })
    expect(requests({ 'http.response.status_code': 503, 'error.type': '503' })).toBeGreaterThan(0)
    expect(requests({ 'http.response.status_code': 200 })).toBe(depth.values().length)
    expect(value('http.client.request.duration', { 'url.template': '/price/{topic}' })).toBe(1)
  })
})

describe('the lag of depth, over real sockets,', () => {
  const lagAfter = async (
    end: (run: { simulator: Simulator; depth: Subscription }) => Promise<void> | void,
  ) => {
    const { collect, value } = startInstrumentation()
    const simulator = await startTestSimulator({ faults: { httpDelay: 150 } })
    const client = createClientFor(simulator, { linger: 0 })
    const { values, tags, subscription } = collectEvents(client.depth$(weth, 10))
    await eventually(() => values().length > 0)
    await collect()
    const late = value('svc_streams.depth.lag')
    await end({ simulator, depth: subscription })
    await eventually(() => subscription.closed || tags().at(-1) !== 'Right')
    await collect()
    return { late, after: value('svc_streams.depth.lag') }
  }

  it('is 0 once the poll has ended', async () => {
    const { late, after } = await lagAfter(({ depth }) => depth.unsubscribe())
    expect(late).toBeGreaterThanOrEqual(0.1)
    expect(after).toBe(0)
  })

  it('is 0 once a request has failed, until one succeeds', async () => {
    const { late, after } = await lagAfter(({ simulator }) => simulator.inject({ httpStatus: 503 }))
    expect(late).toBeGreaterThanOrEqual(0.1)
    expect(after).toBe(0)
  })
})

describe('the span of a poll', () => {
  it('is a client span with the duration of the poll and the attributes of an HTTP client', async () => {
    const { spans } = startInstrumentation()
    const simulator = await startTestSimulator({ faults: { httpDelay: 20 } })
    const server = serverOf(simulator.baseUrl)
    const { events } = collectEvents(createClientFor(simulator).depth$(weth, 10_000))
    await eventually(() => events.length > 0)
    const [span] = spans()
    expect(span).toMatchObject({
      name: 'GET /v0/order_book/depth/{mint}',
      kind: SpanKind.CLIENT,
      parentSpanContext: undefined,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'http.request.method': 'GET',
        'url.template': '/v0/order_book/depth/{mint}',
        'http.response.status_code': 200,
        ...server,
      },
    })
    expect(span!.duration[0] * 1e9 + span!.duration[1]).toBeGreaterThanOrEqual(19e6)
  })

  it.each([
    [{ httpStatus: 429 }, 'HttpError', 429],
    [{ httpStatus: 401 }, 'Unauthorized', 401],
    [{ body: 'html' } as const, 'DecodeError', undefined],
    [{ body: 'cut-off' } as const, 'NetworkError', undefined],
  ])('has the error and the status of a failure: %o', async (faults, type, status) => {
    const { spans } = startInstrumentation()
    const { events } = collectEvents(
      createClientFor(await startTestSimulator({ faults })).depth$(weth, 10_000),
    )
    await eventually(() => events.length > 0)
    expect(spans()[0]?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(spans()[0]?.attributes['error.type']).toBe(type)
    expect(spans()[0]?.attributes['http.response.status_code']).toBe(status)
  })
})

describe('the metrics of a gateway, over real sockets,', () => {
  it('count consumers, topics, bytes and requests', async () => {
    const { collect, value } = startInstrumentation()
    const gateway = await startTestGateway(createClientFor(await startTestSimulator()))
    const server = serverOf(gateway.baseUrl)
    const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway, unsigned: true }))
    const { values } = collectEvents(consumer.price$(ethTopic))
    await eventually(() => values().length > 5)
    await Promise.all([consumer.depth(weth)(), consumer.depth(weth)()])
    await collect()
    const names = ['up', 'consumer.count', 'topic.count', 'connects']
    expect(names.map((name) => value(`svc_streams.gateway.${name}`, server))).toEqual([1, 1, 1, 1])
    expect(value('svc_streams.gateway.requests', { 'svc_streams.request.shared': true })).toBe(1)
    const sent = value('svc_streams.gateway.sent', server)
    expect(sent).toBeGreaterThan(5 * `{"topic":"${ethTopic}","price":1}`.length)
    await consumer.close()
    await eventually(async () => {
      await collect()
      expect(value('svc_streams.gateway.disconnects', { 'svc_streams.disconnect.cause': 'consumer' })).toBe(1)
    })
    expect(value('svc_streams.gateway.consumer.count')).toBe(0)
    expect(value('svc_streams.gateway.sent', server)).toBeGreaterThanOrEqual(sent)
    await gateway.close()
    await collect()
    expect(value('svc_streams.gateway.up')).toBe(0)
  })

  it('count the bytes of a connection until it has ended, also while the gateway closes', async () => {
    const { collect, value } = startInstrumentation()
    const gateway = await startTestGateway(createTestClient({ prices: { [ethTopic]: NEVER } }))
    const consumer = await connect(gateway)
    consumer.webSocket.pause()
    consumer.subscribe('no topic')
    await eventually(async () => {
      await collect()
      expect(value('svc_streams.gateway.sent')).toBeGreaterThan(0)
    })
    const sent = value('svc_streams.gateway.sent')
    const closed = gateway.close()
    await collect()
    expect(value('svc_streams.gateway.disconnects')).toBe(0)
    expect(value('svc_streams.gateway.sent')).toBeGreaterThanOrEqual(sent)
    await closed
    await collect()
    expect(value('svc_streams.gateway.sent')).toBeGreaterThanOrEqual(sent)
    expect(value('svc_streams.gateway.consumer.count')).toBe(0)
  })
})

describe('instrument', () => {
  it('leaves no subscriber in a channel and observes nothing once it is stopped', async () => {
    const { stop, collect, value } = startInstrumentation()
    expect(channelNames.filter((name) => !channel(name).hasSubscribers)).toEqual([])
    stop()
    stop()
    expect(channelNames.filter((name) => channel(name).hasSubscribers)).toEqual([])
    const simulator = await startTestSimulator()
    const { values } = collectEvents(createClientFor(simulator).price$(ethTopic))
    await eventually(() => values().length > 0)
    await collect()
    expect([value('svc_streams.connection.attempts'), value('svc_streams.connection.count')]).toEqual([0, 0])
  })

  it('uses the global providers by default', () => {
    const getMeter = vi.spyOn(metrics, 'getMeter')
    instrument()()
    expect(getMeter).toHaveBeenCalledWith('svc-streams')
    getMeter.mockRestore()
  })
})
