import { channel } from 'node:diagnostics_channel'
import type { ConnectionState, GatewayState, PollsState } from 'svc-streams/opentelemetry'
import { describe, expect, it } from 'vitest'
import { collectEvents } from '../../support/collect-events.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../../support/tokens.js'
import { connectionStateOf, whenMeasured } from './support/connection-state.js'
import { collectMessages } from './support/collect-messages.js'

interface Collected {
  readonly connections: readonly ConnectionState[]
  readonly polls: readonly PollsState[]
  readonly gateways: readonly GatewayState[]
}

/** The state of all clients and gateways now. */
const collect = (): Collected => {
  const [connections, polls, gateways]: [ConnectionState[], PollsState[], GatewayState[]] = [[], [], []]
  channel('svc-streams:collect').publish({
    connection: (state: ConnectionState) => connections.push(state),
    polls: (state: PollsState) => polls.push(state),
    gateway: (state: GatewayState) => gateways.push(state),
  })
  return { connections, polls, gateways }
}

const nothing: Collected = { connections: [], polls: [], gateways: [] }

describe('a message on svc-streams:collect', () => {
  it('reports the connection with its topics, and nothing of a client that is idle or closed', async () => {
    const simulator = await startTestSimulator()
    const { host } = new URL(simulator.priceWsUrl)
    const client = createClientFor(simulator, { staleAfter: 100 })
    expect(collect()).toEqual(nothing)
    const eth = collectEvents(client.price$(ethTopic))
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => eth.values().length > 0 && btc.values().length > 0)
    expect(collect().connections).toEqual([
      {
        ...{ host, isFront: true, state: 'open', maxPriceAgeMs: expect.any(Number) as number },
        prices: eth.values().length + btc.values().length,
        topics: { waiting: 0, live: 2, stale: 0, down: 0, rejected: 0, lingering: 0 },
        lagMs: expect.any(Number) as number,
        isBehind: false,
      },
    ])
    simulator.inject({ stall: true })
    await eventually(() => expect(eth.tags().at(-1)).toBe('Stale'))
    expect(collect().connections[0]?.maxPriceAgeMs).toBeGreaterThanOrEqual(100)
    btc.subscription.unsubscribe()
    expect(collect().connections[0]?.topics).toMatchObject({ stale: 1, lingering: 1 })
    await client.close()
    expect(collect()).toEqual(nothing)
  })

  it('reports the lag of a connection once a ping is answered, and that it is behind', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { maxLag: 2_000 })
    const { tags } = collectEvents(client.price$(ethTopic))
    await whenMeasured(simulator.priceWsUrl)
    simulator.inject({ stall: true })
    await eventually(() => expect(tags().at(-1)).toBe('Stale'))
    const state = connectionStateOf(simulator.priceWsUrl)
    expect(state).toMatchObject({ state: 'open', isBehind: true, topics: { stale: 1 } })
    expect(state?.lagMs).toBeGreaterThanOrEqual(2_000)
  })

  it('reports a connection that waits for its next dial', async () => {
    const simulator = await startTestSimulator({ faults: { refuseUpgrades: 503 } })
    const client = createClientFor(simulator, { reconnect: { initialDelay: 30_000 } })
    const { tags } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(tags()).toContain('Disconnected'))
    // Full jitter may make the first wait short.
    await eventually(() => expect(collect().connections[0]?.state).toBe('waiting'))
    expect(collect().connections).toMatchObject([
      { state: 'waiting', prices: 0, topics: { down: 1 }, maxPriceAgeMs: undefined },
    ])
  })

  it('reports the number of polls with subscribers, while there is a poll', async () => {
    const simulator = await startTestSimulator()
    const { host } = new URL(simulator.baseUrl)
    const client = createClientFor(simulator, { linger: 20 })
    const subscriptions = [100, 200].map((interval) => client.depth$(weth, interval).subscribe())
    expect(collect().polls).toEqual([{ host, count: 2, maxLagMs: undefined }])
    for (const subscription of subscriptions) subscription.unsubscribe()
    // They linger, without subscribers.
    expect(collect().polls).toEqual([{ host, count: 0, maxLagMs: undefined }])
    await eventually(() => expect(collect()).toEqual(nothing))
  })

  it('has a subscriber only while there is something to report', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    expect(channel('svc-streams:collect').hasSubscribers).toBe(false)
    collectEvents(client.price$(ethTopic))
    await eventually(() => channel('svc-streams:collect').hasSubscribers)
    await client.close()
    expect(channel('svc-streams:collect').hasSubscribers).toBe(false)
  })
})

it('prices counts each price of a connection once, also those that the fast path delivers', async () => {
  const disconnected = collectMessages('svc-streams:disconnected')
  const simulator = await startTestSimulator()
  const client = createClientFor(simulator)
  const { values } = collectEvents(client.price$(ethTopic))
  await eventually(() => values().length > 20)
  simulator.send('no price')
  simulator.send('{"subscriptions":[]}')
  await eventually(() => values().length > 25)
  await client.close()
  expect(disconnected[0]?.prices).toBe(values().length)
})
