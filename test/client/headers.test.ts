import type { IncomingHttpHeaders } from 'node:http'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { createClient, signRequest, type Client, type ClientOptions } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { startHttpServer } from '../support/network/servers.js'
import { startScriptedService } from '../support/network/scripted-service.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'

const side = '{"total_quantity":1,"total_quantity_usd":1}'
const body = `{"price":1,"timestamp":1,"buy":${side},"sell":${side}}`
const key = Buffer.alloc(32, 7).toString('base64')

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** A service that answers every request with a depth body, or with the status. */
const startService = async (status = 200, responseHeaders: Record<string, string> = {}) => {
  const received: Received[] = []
  const origin = await startHttpServer(({ url = '', headers }, response) => {
    received.push({ path: url, headers })
    response.writeHead(status, responseHeaders).end(status === 200 ? body : 'Unauthorized')
  })
  return { received, origin }
}

const signedClient = (origin: string, options: Partial<ClientOptions> = {}): Client =>
  closeAfterTest(
    createClient({
      environment: 'mainnet',
      priceBaseUrl: origin,
      baseUrl: origin,
      authKey: key,
      ...(options as object),
    }),
  )

const unsignedClient = (origin: string, options: Partial<ClientOptions> = {}): Client =>
  closeAfterTest(
    createClient({
      environment: 'mainnet',
      priceBaseUrl: origin,
      baseUrl: origin,
      unsigned: true,
      ...(options as object),
    }),
  )

const headers = { 'X-Svc-Tenant': ' acme ', 'x-api-key': '\u0020secret of mine', 'x-svc-b': '' }

describe('additional headers', () => {
  it('are sent with relayer requests, trimmed, and signed if their names start with x-<service>-', async () => {
    const { received, origin } = await startService()
    const client = signedClient(origin, { headers })
    expect(isRight(await client.depth(weth)())).toBe(true)
    const [request] = received
    expect(request?.headers).toMatchObject({ 'x-svc-tenant': 'acme', 'x-api-key': 'secret of mine' })
    const { 'x-svc-auth': signature, ...sent } = request?.headers ?? {}
    const signed = signRequest({ key, path: request?.path ?? '', headers: sent as Record<string, string> })
    expect(signed).toEqual(right(signature))
  })

  it('are accepted by the simulator, which verifies the signature on its own', async () => {
    const simulator = await startTestSimulator({})
    const client = closeAfterTest(createClient({ environment: 'mainnet', ...simulator, headers }))
    expect(isRight(await client.depth(weth)())).toBe(true)
    const depths = collectEvents(client.depth$(weth, 5))
    await eventually(() => expect(depths.events.length).toBeGreaterThan(2))
    expect(depths.events.every(isRight)).toBe(true)
  })

  it('are signed by canonicalHeaders, with the name of the service', async () => {
    const { received, origin } = await startService()
    const canonicalHeaders = (pairs: readonly (readonly [string, string])[]) =>
      pairs.map(([name, value]) => `${name}:${value}\n`).join('')
    const client = signedClient(origin, { service: 'acme', headers: { 'x-acme-a': '1', 'x-svc-a': '2' }, canonicalHeaders }) // prettier-ignore
    await client.depth(weth)()
    const [request] = received
    const { 'x-acme-auth': signature, 'x-acme-auth-expiration': expiration } = request?.headers ?? {}
    const path = `${String(request?.path)}x-acme-a:1\nx-acme-auth-expiration:${String(expiration)}\n`
    expect(signRequest({ key, path, headers: {} })).toEqual(right(signature))
  })

  it('are sent again with a retry after a clock correction', async () => {
    const { received, origin } = await startService(401, { date: 'Wed, 21 Oct 2015 07:28:00 GMT' })
    await signedClient(origin, { headers }).depth(weth)()
    expect(received.map((each) => each.headers['x-svc-tenant'])).toEqual(['acme', 'acme'])
  })

  it('are sent to neither interface of the price reporter', async () => {
    const { received, origin } = await startService()
    const upgrades: IncomingHttpHeaders[] = []
    const prices = await startScriptedService({
      onUpgrade: (_dial, _tcpSocket, request) => {
        upgrades.push(request.headers)
        return false
      },
    })
    const client = signedClient(origin, { headers, priceWsUrl: prices.url })
    collectEvents(client.price$(ethTopic))
    await client.price(ethTopic)()
    await client.depth(weth)()
    await eventually(() => expect(upgrades).toHaveLength(1))
    for (const sent of [upgrades[0], received[0]?.headers]) {
      expect(Object.keys(sent ?? {})).not.toEqual(expect.arrayContaining(['x-api-key']))
      expect(sent).not.toHaveProperty('x-svc-tenant')
    }
    expect(received[1]?.headers).toHaveProperty('x-api-key')
  })
})

describe('unsigned', () => {
  it('sends the additional headers, and neither signature nor expiration', async () => {
    const { received, origin } = await startService()
    const client = unsignedClient(origin, { headers: { 'x-svc-tenant': 'a', 'x-api-key': 'b' } })
    expect(isRight(await client.depth(weth)())).toBe(true)
    const depths = collectEvents(client.depth$(weth, 5))
    await eventually(() => expect(depths.events.filter(isRight).length).toBeGreaterThan(1))
    for (const request of received) {
      const names = Object.keys(request.headers).filter((name) => name.startsWith('x-'))
      expect(names.sort()).toEqual(['x-api-key', 'x-svc-tenant'])
      expect(request.path).toBe(`/v0/order_book/depth/${weth}`)
    }
  })

  it('sends one request for a 401 whose Date differs from the clock', async () => {
    const { received, origin } = await startService(401, { date: 'Wed, 21 Oct 2015 07:28:00 GMT' })
    const result = await unsignedClient(origin).depth(weth)()
    expect(isLeft(result) && result.left._tag).toBe('Unauthorized')
    expect(received).toHaveLength(1)
  })
})
