import { describe, expect, it } from 'vitest'
import { createClient } from 'svc-streams'
import { healthOf, type HealthState } from '../../../src/gateway/http/health.js'
import { runGateway } from '../../../src/gateway/run-gateway.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const stateOf = (refusal: string | undefined) => (): HealthState => ({
  isUp: refusal !== 'service-down',
  refusal,
  upstream:
    refusal === 'service-down'
      ? { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: 'connect ECONNREFUSED 10.0.0.5:4000' }
      : { _tag: 'Open', epoch: 1, since: 0 },
  ageBounded: true,
  counts: { connections: 3, topics: 1 },
})

describe('/health', () => {
  it('has status 200 while the connection to the service is usable', () => {
    expect(healthOf('/health', stateOf(undefined))).toEqual({
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: '{"status":"up","upstream":"Open","ageBounded":true,"connections":3,"topics":1}',
    })
  })

  it('has status 503 while it is down, with the reason in one word, without the text of the service, which may contain an address', () => {
    expect(healthOf('/health', stateOf('service-down'))).toMatchObject({
      status: 503,
      body: '{"status":"down","reason":"service-down","upstream":"Waiting","ageBounded":true,"connections":3,"topics":1}',
    })
  })
})

describe('/health of a gateway with a history', () => {
  const written = { folder: '/prices', rows: 5, bytes: 700 }
  const bodyOf = (history: HealthState['history']): unknown =>
    JSON.parse(String(healthOf('/health', () => ({ ...stateOf(undefined)(), history }))?.body))

  it('has the rows that are written, without the folder', () => {
    expect(bodyOf({ ...written, failure: undefined })).toMatchObject({
      status: 'up',
      history: { status: 'up', rows: 5, bytes: 700 },
    })
  })

  it('has the code of the error and its time if they cannot be written, without its text, and is up', () => {
    const failure = { message: 'ENOSPC: no space left on /prices', code: 'ENOSPC', since: 9 }
    expect(bodyOf({ ...written, failure })).toEqual({
      ...{ status: 'up', upstream: 'Open', ageBounded: true, connections: 3, topics: 1 },
      history: { status: 'down', rows: 5, bytes: 700, error: 'ENOSPC', since: 9 },
    })
  })
})

describe('/health/live', () => {
  it.each([undefined, 'service-down', 'full'] as const)(
    'has status 200, also if the gateway is %s',
    (state) => {
      expect(healthOf('/health/live', stateOf(state))).toMatchObject({ status: 200, body: '{"status":"up"}' })
    },
  )
})

describe('/health/ready', () => {
  it('has status 200 if a further consumer is accepted', () => {
    expect(healthOf('/health/ready', stateOf(undefined))).toMatchObject({
      status: 200,
      body: '{"status":"ready"}',
    })
  })

  it.each(['service-down', 'full'] as const)('has status 503 if the gateway is %s', (reason) => {
    expect(healthOf('/health/ready', stateOf(reason))).toMatchObject({
      status: 503,
      body: JSON.stringify({ status: 'not ready', reason }),
    })
  })
})

describe('a gateway, over real sockets,', () => {
  const statusesOf = async (url: string): Promise<readonly number[]> =>
    Promise.all(
      ['/health', '/health/live', '/health/ready'].map(async (path) => (await fetch(url + path)).status),
    )

  it('has the same status for OPTIONS, by which load balancers ask for it too', async () => {
    const { gateway, drain } = await runGateway(createClientFor(await startTestSimulator()), {}, {})
    closeAfterTest(gateway)
    const statusOf = async (method: string): Promise<number> =>
      (await fetch(`${gateway.baseUrl}/health/ready`, { method })).status
    expect(await Promise.all(['GET', 'HEAD', 'OPTIONS'].map(statusOf))).toEqual([200, 200, 204])
    await drain(1)
    expect(await Promise.all(['GET', 'HEAD', 'OPTIONS'].map(statusOf))).toEqual([503, 503, 503])
  })

  it('stays live and is not ready while it has all its connections, and while the service is down', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } })
    const gateway = await startTestGateway(client, { maxConnections: 1 })
    expect(await statusesOf(gateway.baseUrl)).toEqual([200, 200, 200])
    const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway, unsigned: true }))
    const { subscription, values } = collectEvents(consumer.price$(ethTopic))
    await eventually(() => values().length > 0)
    expect(await statusesOf(gateway.baseUrl)).toEqual([200, 200, 503])
    simulator.inject({ refuseUpgrades: 503 })
    simulator.dropConnections()
    await eventually(() => client.inspect().status._tag === 'Waiting')
    expect(await statusesOf(gateway.baseUrl)).toEqual([503, 200, 503])
    simulator.inject({})
    subscription.unsubscribe()
    await eventually(async () => expect(await statusesOf(gateway.baseUrl)).toEqual([200, 200, 200]))
  })

  it('answers no other path below /health', async () => {
    const gateway = await startTestGateway(createClientFor(await startTestSimulator()))
    expect((await fetch(`${gateway.baseUrl}/health/liveness`)).status).toBe(404)
    expect((await fetch(`${gateway.baseUrl}/health/ready`, { method: 'POST' })).status).toBe(405)
  })
})
