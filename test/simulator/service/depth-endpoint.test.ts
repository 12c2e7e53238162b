import { expect, test } from 'vitest'
import { usdc, wbtc, weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { authKey, startTestSimulator } from '../../support/simulator.js'
import { depthPath, getDepth, signedHeaders } from '../../support/network/signed-request.js'

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
