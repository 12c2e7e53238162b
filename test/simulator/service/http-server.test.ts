import { connect } from 'node:net'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { until } from '../support/dial.js'
import { ether, manualMarket } from '../support/manual-market.js'
import { running } from '../support/running.js'
import { depthPath, getDepth, signedHeaders } from '../support/signed.js'

test.each([
  '/',
  '/v0',
  '/v1/order_book/depth/0xab',
  '/v0/order_book/depth',
  '/price',
  '/price/svc-0xab/',
  '/prices/a',
])('sections 4.1 and 4.2: there is nothing at %s', async (path) => {
  const response = await fetch((await running()).baseUrl + path)
  expect([response.status, await response.text()]).toEqual([404, 'Not Found'])
})

test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])(
  'sections 4.1 and 4.2: %s is not allowed',
  async (method) => {
    const simulator = await running({ market: manualMarket() })
    for (const path of [depthPath(ether), `/price/svc-${ether}`]) {
      const response = await fetch(simulator.baseUrl + path, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    }
  },
)

test('section 5: a body is part of what is signed', async () => {
  const { baseUrl, authKey } = await running({ market: manualMarket() })
  const send = async (body: string, signed: string) => {
    const headers = signedHeaders(authKey, depthPath(ether), Date.now() + 10_000, { body: signed })
    const response = await request(baseUrl + depthPath(ether), { method: 'GET', headers, body })
    return [response.statusCode, (await response.body.text()).slice(0, 12)]
  }
  expect(await send('{}', '{}')).toEqual([200, '{"price":250'])
  expect(await send('{}', '')).toEqual([401, 'Unauthorized'])
  expect((await send('x'.repeat(70_000), ''))[0]).toBe(413)
})

test('requests are kept in order, as they were received', async () => {
  const simulator = await running({ market: manualMarket() })
  await fetch(`${simulator.baseUrl}/price/svc-0xAB?x=%20`, { headers: { 'X-Trace': '7' } })
  await getDepth(simulator, ether)
  await fetch(`${simulator.baseUrl}/other`, { method: 'POST' })
  expect(simulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /price/svc-0xAB?x=%20',
    `GET ${depthPath(ether)}`,
    'POST /other',
  ])
  expect(simulator.requests[0]?.headers['x-trace']).toBe('7')
  expect(simulator.requests[1]?.headers['x-svc-auth']).toHaveLength(43)
})

test('a client that goes away in the middle, or speaks no HTTP, hurts nobody', async () => {
  const simulator = await running({ market: manualMarket() })
  const port = Number(new URL(simulator.baseUrl).port)
  const half = connect(port, '127.0.0.1')
  half.write('GET /price/svc-0xab HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
  await until(() => simulator.requests.length === 1)
  half.resetAndDestroy()
  const noise = connect(port, '127.0.0.1').resume()
  noise.end('\u0000\u0001 no HTTP\r\n\r\n')
  await until(() => noise.closed)
  expect((await fetch(`${simulator.baseUrl}/price/svc-${ether}`)).status).toBe(200)
})
