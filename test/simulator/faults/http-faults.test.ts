import type { Faults } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'
import { depthPath, getDepth, signedHeaders } from '../../support/network/signed-request.js'

const startFaulty = async (faults: Faults) => {
  const simulator = await startTestSimulator({ market: manualMarket(), faults })
  const getPrice = (signal: AbortSignal | null = null) =>
    fetch(`${simulator.baseUrl}/price/svc-${weth}`, { redirect: 'manual', signal })
  return { simulator, getPrice }
}

test('httpStatus sets the status of every response, and retryAfter its Retry-After header', async () => {
  const { simulator, getPrice } = await startFaulty({ httpStatus: 429, retryAfter: 7 })
  for (const response of [await getDepth(simulator, weth), await getPrice()]) {
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(await response.text()).toBe('Too Many Requests')
  }
  simulator.inject({ httpStatus: 503, retryAfter: 'Fri, 09 Aug 2024 00:00:00 GMT' })
  expect((await getPrice()).headers.get('retry-after')).toBe('Fri, 09 Aug 2024 00:00:00 GMT')
  simulator.inject({ httpStatus: 599 })
  expect((await getPrice()).headers.has('retry-after')).toBe(false)
  for (const httpStatus of [204, 304]) {
    simulator.inject({ httpStatus, retryAfter: 7 })
    const response = await getPrice()
    expect([response.status, await response.text()]).toEqual([httpStatus, ''])
    expect(response.headers.get('retry-after')).toBe('7')
  }
  simulator.inject({})
  expect((await getPrice()).status).toBe(200)
})

test('redirect redirects every request', async () => {
  const { simulator, getPrice } = await startFaulty({ redirect: 'http://127.0.0.1:1/elsewhére' })
  const response = await getDepth(simulator, weth)
  expect([response.status, response.headers.get('location')]).toEqual([
    302,
    'http://127.0.0.1:1/elsewh%C3%A9re',
  ])
  simulator.inject({ redirect: 'http://127.0.0.1:1/elsewhere', httpStatus: 308 })
  expect((await getPrice()).status).toBe(308)
})

test('httpDelay delays responses', async () => {
  const { getPrice } = await startFaulty({ httpDelay: 200 })
  const before = performance.now()
  expect((await getPrice()).status).toBe(200)
  // A slow machine only lengthens the delay.
  expect(performance.now() - before).toBeGreaterThan(190)
})

test('httpDelay tolerates a client that aborts a delayed request, and a close during one', async () => {
  const { simulator, getPrice } = await startFaulty({ httpDelay: 60_000 })
  const aborter = new AbortController()
  const results = [getPrice(aborter.signal), getPrice()].map((promise) => promise.catch(() => 'no response'))
  await eventually(() => simulator.requests.length === 2)
  aborter.abort()
  expect(await results[0]).toBe('no response')
  await simulator.close()
  expect(await results[1]).toBe('no response')
})

test('clockOffset shifts the Date header, the timestamps of depths and the expiration of signatures', async () => {
  const ahead = 3600_000
  const { simulator } = await startFaulty({ clockOffset: ahead })
  const refused = await getDepth(simulator, weth)
  expect(refused.status).toBe(401)
  const offset = Date.parse(refused.headers.get('date')!) - Date.now()
  expect(Math.abs(offset - ahead)).toBeLessThan(60_000)
  const accepted = await getDepth(simulator, weth, Date.now() + ahead + 10_000)
  const { timestamp } = (await accepted.json()) as { timestamp: number }
  expect(Math.abs(timestamp - Date.now() - ahead)).toBeLessThan(60_000)

  simulator.inject({ clockOffset: -ahead })
  expect((await getDepth(simulator, weth, Date.now() - 60_000)).status).toBe(200)
})

test('body truncated halves the JSON of a depth in a complete HTTP response, and leaves a price unchanged', async () => {
  const { simulator, getPrice } = await startFaulty({ body: 'truncated' })
  const text = await (await getDepth(simulator, weth)).text()
  expect(text).toMatch(/^\{"price":2500,/)
  expect(() => void JSON.parse(text)).toThrow(SyntaxError)
  expect(await (await getPrice()).text()).toBe('2500')
})

test('body cut-off closes the connection in the middle of the body', async () => {
  const { simulator, getPrice } = await startFaulty({ body: 'cut-off' })
  for (const response of [await getDepth(simulator, weth), await getPrice()]) {
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow(/terminated|ECONNRESET|error reading a body/)
  }
  expect((await fetch(simulator.baseUrl + depthPath(weth))).status).toBe(401)
})

test('body oversized extends the body to more than 2 MiB of valid JSON', async () => {
  const { simulator } = await startFaulty({ body: 'oversized' })
  const text = await (await getDepth(simulator, weth)).text()
  expect(text.length).toBeGreaterThan(2 * 1024 * 1024)
  expect(JSON.parse(text)).toMatchObject({ price: 2500 })
})

test('body html responds with an HTML error page and status 200', async () => {
  const { getPrice } = await startFaulty({ body: 'html' })
  const response = await getPrice()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html'])
  expect(await response.text()).toContain('<h1>Bad gateway</h1>')
})

test('a body fault does not change responses other than 200', async () => {
  const { simulator } = await startFaulty({ body: 'html' })
  expect(await (await getDepth(simulator, '0xdead')).text()).toMatch(/^UnsupportedPair/)
})

test('quantitiesAsText writes quantities as decimal strings', async () => {
  const { simulator } = await startFaulty({ quantitiesAsText: true })
  expect(await (await getDepth(simulator, weth)).json()).toMatchObject({
    buy: { total_quantity: '3000000000000000000', total_quantity_usd: 7500 },
    sell: { total_quantity: '1000000000000000000' },
  })
})

test('httpStatus does not prevent the logging of requests with their headers', async () => {
  const { simulator } = await startFaulty({ httpStatus: 500 })
  const path = depthPath(weth)
  const headers = signedHeaders(simulator.authKey, path)
  await fetch(simulator.baseUrl + path, { headers })
  expect(simulator.requests.at(-1)).toMatchObject({ path, headers })
})
