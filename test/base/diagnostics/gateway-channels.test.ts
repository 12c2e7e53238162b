import { once } from 'node:events'
import { createClient } from 'svc-streams'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { connect } from '../../gateway/support/raw-consumer.js'
import { startTestGateway } from '../../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { collectMessages } from './support/collect-messages.js'

const startAll = async () => {
  const simulator = await startTestSimulator()
  const client = createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } })
  const gateway = await startTestGateway(client)
  const { host } = new URL(gateway.baseUrl)
  const createConsumer = () =>
    closeAfterTest(
      createClient({
        ...{ environment: 'mainnet', ...gateway, unsigned: true },
        reconnect: { initialDelay: 1, maxDelay: 1 },
      }),
    )
  return { simulator, gateway, host, createConsumer }
}

describe('a gateway, over real sockets,', () => {
  it('publishes gateway-connected and gateway-disconnected, with the cause and the bytes', async () => {
    const connected = collectMessages('svc-streams:gateway-connected')
    const disconnected = collectMessages('svc-streams:gateway-disconnected')
    const { simulator, gateway, host, createConsumer } = await startAll()
    const first = createConsumer()
    const { values } = collectEvents(first.price$(ethTopic))
    await eventually(() => values().length > 2)
    expect(connected).toEqual([{ host }])
    await first.close()
    await eventually(() => expect(disconnected).toHaveLength(1))
    expect(disconnected[0]).toEqual({ host, cause: 'consumer', bytes: expect.any(Number) as number })
    expect(disconnected[0]?.bytes).toBeGreaterThan(100)
    const second = collectEvents(createConsumer().price$(ethTopic))
    await eventually(() => second.values().length > 0)
    simulator.dropConnections()
    await eventually(() => expect(disconnected).toHaveLength(2))
    expect(disconnected[1]).toMatchObject({ host, cause: 'service-down' })
    await eventually(() => second.values().at(-1)!.epoch > 1)
    const before = disconnected.length
    await gateway.close()
    await eventually(() => expect(disconnected.length).toBeGreaterThan(before))
    expect(disconnected.at(-1)).toMatchObject({ host, cause: 'closing' })
  })

  it('publishes gateway-refused with the status of a refused upgrade', async () => {
    const refused = collectMessages('svc-streams:gateway-refused')
    const { simulator, host, createConsumer } = await startAll()
    const first = collectEvents(createConsumer().price$(ethTopic))
    await eventually(() => first.values().length > 0)
    simulator.inject({ refuseUpgrades: 503 })
    simulator.dropConnections()
    await eventually(() => expect(refused).not.toEqual([]))
    expect(refused[0]).toEqual({ host, status: 503 })
  })

  it('publishes gateway-refused for an upgrade without access', async () => {
    const refused = collectMessages('svc-streams:gateway-refused')
    const gateway = await startTestGateway(createTestClient({}), { access: { tokens: { desk: 'secret' } } })
    const { host } = new URL(gateway.baseUrl)
    await expect(connect(gateway)).rejects.toThrow('401')
    const options = { origin: 'https://other.example' }
    await once(new WebSocket(`${gateway.priceWsUrl}/?access_token=secret`, options), 'error')
    expect(refused).toEqual([
      { host, status: 401 },
      { host, status: 403 },
    ])
  })

  it('publishes gateway-request for each consumer, and whether it shares the request of another one', async () => {
    const requests = collectMessages('svc-streams:gateway-request')
    const { host, createConsumer } = await startAll()
    const consumer = createConsumer()
    await Promise.all([consumer.depth(weth)(), consumer.depth(weth)(), consumer.price(ethTopic)()])
    expect(requests.filter(({ kind }) => kind === 'depth')).toEqual([
      { host, kind: 'depth', shared: false },
      { host, kind: 'depth', shared: true },
    ])
    expect(requests.filter(({ kind }) => kind === 'price')).toEqual([{ host, kind: 'price', shared: false }])
  })
})
