import { left, right } from 'fp-ts/lib/Either.js'
import { NEVER, of } from 'rxjs'
import {
  createClient,
  type Client,
  type Depth,
  type DepthError,
  type PriceClient,
  type PriceRequestError,
} from 'svc-streams'
import {
  clientClosed,
  createTestClient,
  depth,
  httpError,
  networkError,
  price,
  timeout,
  unauthorized,
} from 'svc-streams/testing'
import type { Simulator } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { currentClock } from '../../../src/base/time/clock.js'
import { createRelays } from '../../../src/gateway/coalescing/relays.js'
import type { TextResponse } from '../../../src/gateway/server/http-response.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { depthPath } from '../../support/network/signed-request.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { ethTopic, wbtc, weth } from '../../support/tokens.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const requestsOf = (simulator: Simulator, path: string) =>
  simulator.requests.filter((request) => request.path === path)

const upperCase = (text: string): string => text.replace(/(?<=0x).*/, (digits) => digits.toUpperCase())

describe('depth requests', () => {
  it('of one mint share a request to the service, whatever their spelling', async () => {
    const simulator = await startTestSimulator()
    const { baseUrl } = await startTestGateway(createClientFor(simulator))
    simulator.inject({ stall: true })
    const mints = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? weth : upperCase(weth)))
    const responses = mints.map((mint) => fetch(baseUrl + depthPath(mint)))
    await eventually(() => requestsOf(simulator, depthPath(weth)).length === 1)
    const other = fetch(baseUrl + depthPath(wbtc))
    await eventually(() => requestsOf(simulator, depthPath(wbtc)).length === 1)
    simulator.inject({})
    const texts = await Promise.all(responses.map(async (response) => (await response).text()))
    expect(new Set(texts).size).toBe(1)
    expect((await other).status).toBe(200)
    expect(simulator.requests).toHaveLength(2)
  })

  it("are answered with the service's values, as JSON", async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const { baseUrl } = await startTestGateway(client)
    simulator.inject({ stall: true })
    const received = fetch(baseUrl + depthPath(weth))
    const direct = client.depth(weth)()
    await eventually(() => simulator.requests.length === 2)
    simulator.inject({})
    const response = await received
    const body = (await response.json()) as { timestamp: number; price: number }
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await direct).toMatchObject({ _tag: 'Right' })
    expect(Object.keys(body)).toEqual(['price', 'timestamp', 'buy', 'sell'])
  })

  it('keep every digit of a quantity', async () => {
    const side = { totalQuantity: 2n ** 200n, totalQuantityUsd: 0.5 }
    const client = createTestClient({ depths: { [weth]: of(depth(weth, { buy: side, timestamp: 7 })) } })
    const { baseUrl } = await startTestGateway(client)
    const text = await (await fetch(baseUrl + depthPath(weth))).text()
    expect(text).toContain(`"buy":{"total_quantity":${2n ** 200n},"total_quantity_usd":0.5}`)
    expect(text).toContain('"timestamp":7')
  })

  it('that come later are answered by a later request to the service', async () => {
    const simulator = await startTestSimulator()
    const { baseUrl } = await startTestGateway(createClientFor(simulator), { depthEvery: 1 })
    await fetch(baseUrl + depthPath(weth))
    await fetch(baseUrl + depthPath(weth))
    expect(requestsOf(simulator, depthPath(weth))).toHaveLength(2)
  })

  it('that wait for their turn are not sent once the consumer has left', async () => {
    const asked: string[] = []
    const client: Client = {
      ...createTestClient({ depths: { [weth]: of(depth(weth)), [wbtc]: of(depth(wbtc)) } }),
      depth: (mint) => async () => {
        asked.push(mint)
        return right(depth(mint))
      },
    }
    const { baseUrl } = await startTestGateway(client, { depthEvery: 1_000 })
    await fetch(baseUrl + depthPath(weth))
    const controller = new AbortController()
    const abandoned = fetch(baseUrl + depthPath(weth), { signal: controller.signal })
    // Answered after the gateway has received the request before it.
    await fetch(baseUrl + depthPath(wbtc))
    controller.abort()
    await abandoned.catch(() => undefined)
    // Answered after the turn of the abandoned request.
    await fetch(baseUrl + depthPath(wbtc))
    expect(asked).toEqual([weth, wbtc, wbtc])
  })
})

describe('price requests', () => {
  it('of one topic share a request to the service, whatever their spelling', async () => {
    const simulator = await startTestSimulator()
    const { baseUrl } = await startTestGateway(createClientFor(simulator))
    simulator.inject({ stall: true })
    const topics = [ethTopic, upperCase(ethTopic), ethTopic]
    const responses = topics.map((topic) => fetch(`${baseUrl}/price/${topic}`))
    await eventually(() => simulator.requests.length > 0)
    simulator.inject({})
    for (const response of await Promise.all(responses)) {
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe('text/plain')
      expect(Number(await response.text())).toBeGreaterThan(0)
    }
    expect(requestsOf(simulator, `/price/${ethTopic}`)).toHaveLength(1)
  })

  it.each(['svc-0x', 'svc-82af', 'acme-0x82af', `${ethTopic}-0xaf88`, 'svc-0x82af%2f', '%00', '__proto__'])(
    "of %s are answered with the service's text, without a request to it",
    async (topic) => {
      const simulator = await startTestSimulator()
      const { baseUrl } = await startTestGateway(createClientFor(simulator))
      const response = await fetch(`${baseUrl}/price/${topic}`)
      expect(response.status).toBe(500)
      expect(await response.text()).toBe('Invalid (exchange, base, quote) tuple')
      expect(simulator.requests).toEqual([])
    },
  )

  it('have the topic of the option `service`', async () => {
    const simulator = await startTestSimulator({ service: 'acme', tokens: [weth] })
    const gateway = await startTestGateway(createClientFor(simulator), { service: 'acme' })
    expect(gateway.service).toBe('acme')
    expect((await fetch(`${gateway.baseUrl}/price/acme-${weth}`)).status).toBe(200)
    expect((await fetch(`${gateway.baseUrl}/price/svc-${weth}`)).status).toBe(500)
  })

  it.each([1e-7, 1e21, 2682.505, Number.MIN_VALUE])('keep the price %d', async (value) => {
    const client = createTestClient({ prices: { [ethTopic]: of(price(ethTopic, value)) } })
    const { baseUrl } = await startTestGateway(client)
    const text = await (await fetch(`${baseUrl}/price/${ethTopic}`)).text()
    expect(Number(text)).toBe(value)
    expect(text).not.toContain('e')
  })
})

describe('a consumer receives the error of the service', () => {
  it('for an unsupported token', async () => {
    const simulator = await startTestSimulator()
    const gateway = await startTestGateway(createClientFor(simulator))
    const direct = createClientFor(simulator)
    const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway, unsigned: true }))
    expect(await consumer.depth('0xabc')()).toEqual(await direct.depth('0xabc')())
    expect(await consumer.price('svc-0xabc')()).toEqual(await direct.price('svc-0xabc')())
  })

  it('with its status, text and Retry-After', async () => {
    const simulator = await startTestSimulator()
    const gateway = await startTestGateway(createClientFor(simulator))
    const direct = createClientFor(simulator)
    const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway, unsigned: true }))
    for (const status of [400, 404, 429, 503]) {
      simulator.inject({ httpStatus: status, retryAfter: 2 })
      expect(await consumer.depth(weth)()).toEqual(await direct.depth(weth)())
      expect(await consumer.price(ethTopic)()).toEqual(await direct.price(ethTopic)())
    }
  })
})

/** A client whose requests have this result. */
const failingClient = (error: DepthError): Client => ({
  ...createTestClient(),
  depth: () => async () => left(error),
  price: () => async () => left(error as PriceRequestError),
})

const clientWithoutDepth = (): PriceClient => {
  const { chainId, status$, errors$, price$, price: priceOf, inspect, close } = createTestClient()
  return { chainId, status$, errors$, price$, price: priceOf, inspect, close, [Symbol.asyncDispose]: close }
}

describe('the response for', () => {
  const secret = 'c29tZSBzZWNyZXQ'

  it.each<[DepthError, number, string]>([
    [unauthorized(secret), 502, 'Bad Gateway: the service rejected the signature of the gateway'],
    [networkError(new Error(secret)), 502, 'Bad Gateway: no response from the service'],
    [timeout(5), 504, 'Gateway Timeout: no complete response from the service in time'],
    [clientClosed, 503, 'Service Unavailable: the client of this gateway is closed'],
    [
      { _tag: 'DecodeError', message: secret, input: secret, issues: [] },
      502,
      'Bad Gateway: invalid response from the service',
    ],
    [
      { _tag: 'InvalidInterval', message: secret, interval: 0 },
      502,
      'Bad Gateway: invalid request to the service',
    ],
    [httpError(418, 'a teapot', undefined), 418, 'a teapot'],
    [httpError(401, 'a proxy', undefined), 502, 'Bad Gateway: unexpected status of the service'],
    [httpError(101, '', undefined), 502, 'Bad Gateway: unexpected status of the service'],
    [httpError(99, '', undefined), 502, 'Bad Gateway: unexpected status of the service'],
    [httpError(NaN, '', undefined), 502, 'Bad Gateway: unexpected status of the service'],
    [httpError(200, '', undefined), 502, 'Bad Gateway: unexpected status of the service'],
  ])('%j has status %d', async (error, status, text) => {
    const { baseUrl } = await startTestGateway(failingClient(error), { depthEvery: 1 })
    for (const path of [depthPath(weth), `/price/${ethTopic}`]) {
      const response = await fetch(baseUrl + path)
      expect(response.status).toBe(status)
      expect(await response.text()).toBe(text)
    }
  })

  it.each([
    [1, '1'],
    [0, '0'],
    [1_001, '2'],
    [5_000, '5'],
  ])('a delay of %d ms has a Retry-After in whole seconds, rounded up', async (ms, header) => {
    const { baseUrl } = await startTestGateway(failingClient(httpError(503, '', ms)))
    expect((await fetch(baseUrl + depthPath(weth))).headers.get('Retry-After')).toBe(header)
  })

  it.each([204, 304])('the status %d has no body', async (status) => {
    const { baseUrl } = await startTestGateway(failingClient(httpError(status, 'none', undefined)))
    const response = await fetch(baseUrl + depthPath(weth))
    expect(response.status).toBe(status)
    expect(await response.text()).toBe('')
  })

  it.each(['82af', '0x', '0xzz', '0x82af%20', '0x%2e%2e', '..%2f'])(
    'the mint %s has status 400',
    async (mint) => {
      const { baseUrl } = await startTestGateway(failingClient(clientClosed))
      expect((await fetch(baseUrl + depthPath(mint))).status).toBe(400)
    },
  )

  it('a client without depth has status 404 and says so', async () => {
    const clients = [
      createClient({ environment: 'testnet', priceBaseUrl: 'http://127.0.0.1:1' }),
      clientWithoutDepth(),
    ]
    for (const client of clients.map(closeAfterTest)) {
      const { baseUrl } = await startTestGateway(client)
      const response = await fetch(baseUrl + depthPath(weth))
      expect(response.status).toBe(404)
      expect(await response.text()).toBe('Not Found: the client of this gateway has no depth')
    }
  })

  it('a client that throws or rejects has status 502, and the gateway goes on', async () => {
    const fail = (): never => {
      throw new Error(secret)
    }
    const failures: readonly Client['depth'][] = [
      fail,
      () => fail,
      () => () => Promise.reject(new Error(secret)),
    ]
    for (const failure of failures) {
      const client = { ...createTestClient(), depth: failure, price: failure as unknown as Client['price'] }
      const { baseUrl } = await startTestGateway(client, { depthEvery: 1 })
      for (const path of [depthPath(weth), `/price/${ethTopic}`, depthPath(weth)]) {
        const response = await fetch(baseUrl + path)
        expect([response.status, await response.text()]).toEqual([
          502,
          'Bad Gateway: no response from the service',
        ])
      }
    }
  })

  it('a value that the service could not send has status 502', async () => {
    const invalid: Depth = { ...depth(weth), price: NaN }
    const client = createTestClient({
      depths: { [weth]: of(invalid) },
      prices: { [ethTopic]: of(price(ethTopic, NaN)) },
    })
    const { baseUrl } = await startTestGateway(client)
    for (const path of [depthPath(weth), `/price/${ethTopic}`]) {
      expect((await fetch(baseUrl + path)).status).toBe(502)
    }
  })

  it('a request that never completes does not delay those of others', async () => {
    const client = createTestClient({ depths: { [weth]: NEVER, [wbtc]: of(depth(wbtc)) } })
    const { baseUrl } = await startTestGateway(client)
    const waiting = fetch(baseUrl + depthPath(weth)).catch(() => 'ended')
    expect((await fetch(baseUrl + depthPath(wbtc))).status).toBe(200)
    await client.close()
    expect(await waiting).toMatchObject({ status: 503 })
  })
})

describe('a request without a result of a test client', () => {
  const requester = { consumer: 1, group: 'a' }
  const createTestRelays = () => {
    const client = createTestClient({ prices: { [ethTopic]: NEVER }, depths: { [weth]: NEVER } })
    const responses: TextResponse[] = []
    const relays = createRelays(client, {
      clock: currentClock(),
      report: () => undefined,
      service: 'svc',
      depthEvery: 250,
    })
    for (const resource of [
      { kind: 'price', name: ethTopic } as const,
      { kind: 'depth', name: weth } as const,
    ])
      relays.respond(resource, requester)((response) => responses.push(response))
    return { relays, responses }
  }

  it('is answered like one that the service does not answer in time, after 10 s', () => {
    const pending = runInVirtualTime(({ at }) => {
      const { responses } = createTestRelays()
      at(9_999, () => expect(responses).toEqual([]))
      at(10_001, () => expect(responses.map(({ status }) => status)).toEqual([504, 504]))
    })
    expect(pending).toBe(0)
  })

  it('leaves no timer when the gateway is closed', () => {
    const pending = runInVirtualTime(({ at }) => {
      const { relays, responses } = createTestRelays()
      at(1, () => relays.close())
      at(2, () => expect(responses).toEqual([]))
    })
    expect(pending).toBe(0)
  })
})
