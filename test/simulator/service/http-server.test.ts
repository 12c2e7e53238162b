import { connect } from 'node:net'
import { createHmac } from 'node:crypto'
import { request } from 'undici'
import { expect, test } from 'vitest'
import fc from 'fast-check'
import { isValidSignature, type SignedRequest } from '../../../src/simulator/service/http-server.js'
import { manualMarket } from '../../support/manual-market.js'
import { depthPath, getDepth, signedExample, signedHeaders } from '../../support/network/signed-request.js'
import { startTestSimulator, authKey } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { weth, usdc, wbtc } from '../../support/tokens.js'

test.each([
  '/',
  '/v0',
  '/v1/order_book/depth/0xab',
  '/v0/order_book/depth',
  '/price',
  '/price/svc-0xab/',
  '/prices/a',
])('the HTTP server responds 404 for the path %s (sections 4.1 and 4.2)', async (path) => {
  const response = await fetch((await startTestSimulator({})).baseUrl + path)
  expect([response.status, await response.text()]).toEqual([404, 'Not Found'])
})

test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])(
  'the HTTP server responds 405 to %s (sections 4.1 and 4.2)',
  async (method) => {
    const simulator = await startTestSimulator({ market: manualMarket() })
    for (const path of [depthPath(weth), `/price/svc-${weth}`]) {
      const response = await fetch(simulator.baseUrl + path, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    }
  },
)

test('the HTTP server verifies the signature over the body (section 5)', async () => {
  const { baseUrl, authKey } = await startTestSimulator({ market: manualMarket() })
  const send = async (body: string, signed: string) => {
    const headers = signedHeaders(authKey, depthPath(weth), Date.now() + 10_000, { body: signed })
    const response = await request(baseUrl + depthPath(weth), { method: 'GET', headers, body })
    return [response.statusCode, (await response.body.text()).slice(0, 12)]
  }
  expect(await send('{}', '{}')).toEqual([200, '{"price":250'])
  expect(await send('{}', '')).toEqual([401, 'Unauthorized'])
})

test('the HTTP server logs requests in order, as received', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  await fetch(`${simulator.baseUrl}/price/svc-0xAB?x=%20`, { headers: { 'X-Trace': '7' } })
  await getDepth(simulator, weth)
  await fetch(`${simulator.baseUrl}/other`, { method: 'POST' })
  expect(simulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /price/svc-0xAB?x=%20',
    `GET ${depthPath(weth)}`,
    'POST /other',
  ])
  expect(simulator.requests[0]?.headers['x-trace']).toBe('7')
  expect(simulator.requests[1]?.headers['x-svc-auth']).toHaveLength(43)
})

test('the HTTP server still responds after a client disconnects during a request or sends invalid HTTP', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const port = Number(new URL(simulator.baseUrl).port)
  const partial = connect(port, '127.0.0.1')
  partial.write('GET /price/svc-0xab HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
  await eventually(() => simulator.requests.length === 1)
  partial.resetAndDestroy()
  const invalid = connect(port, '127.0.0.1').resume()
  invalid.end('\u0000\u0001 no HTTP\r\n\r\n')
  await eventually(() => invalid.closed)
  expect((await fetch(`${simulator.baseUrl}/price/svc-${weth}`)).status).toBe(200)
})

test('the depth endpoint responds to a signed request with the depth and exact quantities (section 4.1)', async () => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  const before = Date.now()
  const response = await getDepth(simulator, weth)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(Math.abs(Date.parse(response.headers.get('date')!) - before)).toBeLessThan(60_000)
  const text = await response.text()
  expect(text.replace(/"timestamp":\d+/, '"timestamp":T')).toBe(
    '{"price":2500,"timestamp":T,' +
      '"buy":{"total_quantity":3000000000000000000,"total_quantity_usd":7500},' +
      '"sell":{"total_quantity":1000000000000000000,"total_quantity_usd":2500}}',
  )
  const { timestamp } = JSON.parse(text) as { timestamp: number }
  expect(Number.isInteger(timestamp)).toBe(true)
  expect(timestamp).toBeGreaterThanOrEqual(before)
})

test('the depth endpoint writes quantities of any size as integers, and prices without exponent (section 2.1)', async () => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  await getDepth(simulator, weth)
  market.update({ price: 1e-7, buy: 10n ** 60n + 1n, sell: 0n })
  const text = await (await getDepth(simulator, weth)).text()
  expect(text).toContain('"price":0.0000001')
  expect(text).toContain(`"buy":{"total_quantity":1${'0'.repeat(59)}1,`)
  expect(text).toMatch(/"total_quantity_usd":\d{35,36}\}/)
  expect(text).toContain('"sell":{"total_quantity":0,"total_quantity_usd":0}')
})

test('the depth endpoint accepts a mint in any case and converts to USD by the decimals of the token', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const mint = `0x${wbtc.slice(2).toUpperCase()}`
  expect(await (await getDepth(simulator, mint)).json()).toMatchObject({
    price: 60_000,
    buy: { total_quantity: 1e8, total_quantity_usd: 60_000 },
  })
})

test('the depth endpoint responds 401 to a request without a valid signature, for any mint (section 7)', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const key = Buffer.alloc(32, 1).toString('base64')
  const responses = [
    await fetch(simulator.baseUrl + depthPath(weth)),
    await getDepth({ ...simulator, authKey: key }, weth),
    await getDepth({ ...simulator, authKey: key }, '0xdead'),
    await getDepth(simulator, weth, Date.now() - 1),
  ]
  for (const response of responses) {
    expect(response.status).toBe(401)
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(await response.text()).toBe('Unauthorized')
  }
})

test('the depth endpoint verifies with the authKey option, in base64 or base64url (section 5)', async () => {
  const simulator = await startTestSimulator({ market: manualMarket(), authKey })
  expect(simulator.authKey).toBe(authKey)
  expect((await getDepth(simulator, weth)).status).toBe(200)
  const bytes = Buffer.alloc(32, 0xff)
  const urlSafe = await startTestSimulator({ market: manualMarket(), authKey: bytes.toString('base64url') })
  expect(urlSafe.authKey).toContain('_')
  expect((await getDepth({ ...urlSafe, authKey: bytes.toString('base64') }, weth)).status).toBe(200)
})

test('the depth endpoint verifies the signature over the query as sent (section 5)', async () => {
  const { baseUrl, authKey: key } = await startTestSimulator({ market: manualMarket() })
  const path = `${depthPath(weth)}?levels=1&x=%20`
  expect((await fetch(baseUrl + path, { headers: signedHeaders(key, path) })).status).toBe(200)
  expect((await fetch(baseUrl + path, { headers: signedHeaders(key, depthPath(weth)) })).status).toBe(401)
})

test.each([
  ['0xDeaD', '0xdead'],
  ['dead', 'dead'],
  ['0x%22', '0x%22'],
])('the depth endpoint responds UnsupportedPair for the mint %s (section 7)', async (mint, named) => {
  const response = await getDepth(await startTestSimulator({ market: manualMarket() }), mint)
  expect(response.status).toBe(500)
  expect(response.headers.get('content-type')).toBe('text/plain')
  expect(await response.text()).toBe(`UnsupportedPair(Token { addr: "${named}" }, Token { addr: "${usdc}" })`)
})

const get = async (url: string) => {
  const response = await fetch(url)
  return [response.status, response.headers.get('content-type'), await response.text()]
}

test('the price endpoint responds with the price of a topic as decimal text (section 4.2)', async () => {
  const market = manualMarket()
  const { priceBaseUrl } = await startTestSimulator({ market })
  expect(await get(`${priceBaseUrl}/price/svc-${weth}`)).toEqual([200, 'text/plain', '2500'])
  market.update({ price: 2500.125 })
  expect(await get(`${priceBaseUrl}/price/svc-${weth}`)).toEqual([200, 'text/plain', '2500.125'])
  market.update({ price: 1.5e-7 })
  expect(await get(`${priceBaseUrl}/price/svc-0x${weth.slice(2).toUpperCase()}?x=1`)).toEqual([
    200,
    'text/plain',
    '0.00000015',
  ])
})

test.each([
  'svc',
  'svc-',
  'svc-dead',
  'acme-0xdead',
  'svc-0x',
  'svc-0xdead-0xbeef',
  'svc-0xno',
  '%00',
  'SVC-0xdead',
])('the price endpoint rejects the malformed topic %s (section 7)', async (topic) => {
  const { priceBaseUrl } = await startTestSimulator({ market: manualMarket() })
  expect(await get(`${priceBaseUrl}/price/${topic}`)).toEqual([
    500,
    'text/plain',
    'Invalid (exchange, base, quote) tuple',
  ])
})

test('the price endpoint rejects a topic of an unsupported token (section 7)', async () => {
  const { priceBaseUrl, inject } = await startTestSimulator({ market: manualMarket() })
  const withAddresses = `Invalid (exchange, base, quote) tuple: svc does not support the pair (0xdead, ${usdc})`
  expect(await get(`${priceBaseUrl}/price/svc-0xDEAD`)).toEqual([500, 'text/plain', withAddresses])
  inject({ namelessErrors: true })
  expect(await get(`${priceBaseUrl}/price/svc-0xdead`)).toEqual([
    500,
    'text/plain',
    'Invalid (exchange, base, quote) tuple',
  ])
})

test('the price endpoint requires the service name as the prefix of a topic', async () => {
  const { priceBaseUrl } = await startTestSimulator({ market: manualMarket(), service: 'acme' })
  expect((await get(`${priceBaseUrl}/price/acme-${weth}`))[0]).toBe(200)
  expect((await get(`${priceBaseUrl}/price/svc-${weth}`))[2]).toBe('Invalid (exchange, base, quote) tuple')
  expect((await get(`${priceBaseUrl}/price/acme-0xdead`))[2]).toContain(
    ': acme does not support the pair (0xdead, ',
  )
})

test('the price endpoint still responds after malformed requests', async () => {
  const { priceBaseUrl } = await startTestSimulator({ market: manualMarket() })
  for (const path of [
    '',
    '/',
    '//',
    '/price/',
    '/price/a/b',
    '/price/%E0%A4%A',
    '/v0/order_book/depth/%',
    '/%00',
  ]) {
    expect((await fetch(priceBaseUrl + path)).status).toBeGreaterThanOrEqual(400)
  }
  expect((await get(`${priceBaseUrl}/price/svc-${weth}`))[0]).toBe(200)
})

const verifier = { key: Buffer.from(authKey, 'base64'), name: 'svc', now: 1_745_462_587_105 }
const example: SignedRequest = signedExample
const { path, body } = signedExample

test('isValidSignature accepts the example signature until its expiration (section 5)', () => {
  expect(isValidSignature(example, verifier)).toBe(true)
  expect(isValidSignature(example, { ...verifier, now: 1_745_462_597_104 })).toBe(true)
  expect(isValidSignature(example, { ...verifier, now: 1_745_462_597_105 })).toBe(false)
})

test('isValidSignature verifies the query, the signed headers in order of their names, and the body (section 5)', () => {
  const signed = (given: string, headers: Record<string, string>, sent = '') =>
    isValidSignature(
      {
        path: `${path}?a=1`,
        headers: {
          host: 'x',
          'x-svc-b': '2',
          'x-svc-auth-expiration': '1745462597105',
          'x-svc-a': '1',
          ...headers,
        },
        body: Buffer.from(sent),
      },
      { ...verifier, key: Buffer.from(given, 'base64') },
    )
  // Headers in byte order of their names: x-svc-a, x-svc-auth-expiration, x-svc-b.
  const auth = (text: string) => ({ 'x-svc-auth': rawSignature(text) })
  const input = `${path}?a=1x-svc-a1x-svc-auth-expiration1745462597105x-svc-b2`
  expect(signed(authKey, auth(input))).toBe(true)
  expect(signed(authKey, auth(`${input}body`), 'body')).toBe(true)
  expect(signed(authKey, auth(input), 'body')).toBe(false)
  expect(signed(authKey, auth(input.replace('?a=1', '')))).toBe(false)
  expect(signed(authKey, auth(input.replace('x-svc-b2', '')))).toBe(false)
})

test('isValidSignature expects the lower-case service name in the header names (section 5)', () => {
  const request: SignedRequest = {
    path,
    headers: signedHeaders(authKey, path, 2e12, { service: 'acme' }),
    body,
  }
  expect(isValidSignature(request, { ...verifier, name: 'Acme' })).toBe(true)
  expect(isValidSignature(request, verifier)).toBe(false)
})

test.each([
  ['no expiration', { 'x-svc-auth-expiration': undefined }],
  ['no signature', { 'x-svc-auth': undefined }],
  ['a padded signature', { 'x-svc-auth': '2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY=' }],
  ['a base64url signature', { 'x-svc-auth': '2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA-uroSbmeiY' }],
  ['a wrong signature', { 'x-svc-auth': '3HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY' }],
  [
    'two signatures',
    { 'x-svc-auth': ['2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY', 'a'] as unknown as string },
  ],
  ['an additional signed header', { 'x-svc-more': '1' }],
])('isValidSignature rejects a request with %s (section 5)', (_, headers) => {
  expect(isValidSignature({ ...example, headers: { ...example.headers, ...headers } }, verifier)).toBe(false)
})

test.each([
  '',
  '1e15',
  '0x19664e5dcc1',
  '-1',
  ' 2000000000000',
  '2000000000000.5',
  'NaN',
  '99999999999999999',
])('isValidSignature rejects a correctly signed expiration of "%s" (section 5)', (expiration) => {
  const headers = signedHeaders(authKey, path, expiration)
  expect(isValidSignature({ path, headers, body }, verifier)).toBe(false)
})

test('isValidSignature accepts only the signing key and the signed path, for any path and time', () => {
  const keys = fc.uint8Array({ minLength: 1, maxLength: 64 })
  const paths = fc.webPath().map((text) => `/${text}`)
  fc.assert(
    fc.property(keys, paths, fc.integer({ min: 1, max: 1e12 }), fc.nat(), (key, given, ahead, flip) => {
      const headers = signedHeaders(Buffer.from(key).toString('base64'), given, verifier.now + ahead)
      const request = { path: given, headers, body }
      const wrong = Uint8Array.from(key)
      wrong[flip % key.length]! ^= 1
      expect(isValidSignature(request, { ...verifier, key })).toBe(true)
      expect(isValidSignature(request, { ...verifier, key: wrong })).toBe(false)
      expect(isValidSignature({ ...request, path: `${given}/` }, { ...verifier, key })).toBe(false)
    }),
  )
})

const rawSignature = (text: string): string =>
  createHmac('sha256', Buffer.from(authKey, 'base64')).update(text).digest('base64').replace('=', '')
