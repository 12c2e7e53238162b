import { connect } from 'node:net'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'
import { depthPath, getDepth, signedHeaders } from '../../support/network/signed-request.js'

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

test('the HTTP server verifies the signature over the body and limits its size (section 5)', async () => {
  const { baseUrl, authKey } = await startTestSimulator({ market: manualMarket() })
  const send = async (body: string, signed: string) => {
    const headers = signedHeaders(authKey, depthPath(weth), Date.now() + 10_000, { body: signed })
    const response = await request(baseUrl + depthPath(weth), { method: 'GET', headers, body })
    return [response.statusCode, (await response.body.text()).slice(0, 12)]
  }
  expect(await send('{}', '{}')).toEqual([200, '{"price":250'])
  expect(await send('{}', '')).toEqual([401, 'Unauthorized'])
  expect((await send('x'.repeat(70_000), ''))[0]).toBe(413)
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
