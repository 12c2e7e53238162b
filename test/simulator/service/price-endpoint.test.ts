import { expect, test } from 'vitest'
import { usdc, weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'

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
