import type { Faults } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { until } from '../support/dial.js'
import { ether, manualMarket } from '../support/manual-market.js'
import { running } from '../support/running.js'
import { depthPath, getDepth, signedHeaders } from '../support/signed.js'

const faulty = async (faults: Faults) => {
  const simulator = await running({ market: manualMarket(), faults })
  const getPrice = (signal: AbortSignal | null = null) =>
    fetch(`${simulator.baseUrl}/price/svc-${ether}`, { redirect: 'manual', signal })
  return { simulator, getPrice }
}

test('httpStatus: every request is answered with it, and with Retry-After where that is given', async () => {
  const { simulator, getPrice } = await faulty({ httpStatus: 429, retryAfter: 7 })
  for (const response of [await getDepth(simulator, ether), await getPrice()]) {
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

test('redirect: every request is sent elsewhere', async () => {
  const { simulator, getPrice } = await faulty({ redirect: 'http://127.0.0.1:1/elsewhére' })
  const response = await getDepth(simulator, ether)
  expect([response.status, response.headers.get('location')]).toEqual([
    302,
    'http://127.0.0.1:1/elsewh%C3%A9re',
  ])
  simulator.inject({ redirect: 'http://127.0.0.1:1/elsewhere', httpStatus: 308 })
  expect((await getPrice()).status).toBe(308)
})

test('httpDelay: no answer before its time', async () => {
  const { getPrice } = await faulty({ httpDelay: 200 })
  const before = performance.now()
  expect((await getPrice()).status).toBe(200)
  // A slow machine makes it longer, and nothing makes it shorter.
  expect(performance.now() - before).toBeGreaterThan(190)
})

test('httpDelay: a client that does not wait for the answer hurts nobody, nor does one that the end finds waiting', async () => {
  const { simulator, getPrice } = await faulty({ httpDelay: 60_000 })
  const impatient = new AbortController()
  const given = [getPrice(impatient.signal), getPrice()].map((promise) => promise.catch(() => 'no answer'))
  await until(() => simulator.requests.length === 2)
  impatient.abort()
  expect(await given[0]).toBe('no answer')
  await simulator.close()
  expect(await given[1]).toBe('no answer')
})

test('clockOffset: it dates answers and depths, and decides what has expired', async () => {
  const ahead = 3600_000
  const { simulator } = await faulty({ clockOffset: ahead })
  const refused = await getDepth(simulator, ether)
  expect(refused.status).toBe(401)
  const offset = Date.parse(refused.headers.get('date')!) - Date.now()
  expect(Math.abs(offset - ahead)).toBeLessThan(60_000)
  const accepted = await getDepth(simulator, ether, Date.now() + ahead + 10_000)
  const { timestamp } = (await accepted.json()) as { timestamp: number }
  expect(Math.abs(timestamp - Date.now() - ahead)).toBeLessThan(60_000)

  simulator.inject({ clockOffset: -ahead })
  expect((await getDepth(simulator, ether, Date.now() - 60_000)).status).toBe(200)
})

test('body truncated: a depth is cut short, and whole as HTTP goes; a price stays whole', async () => {
  const { simulator, getPrice } = await faulty({ body: 'truncated' })
  const text = await (await getDepth(simulator, ether)).text()
  expect(text).toMatch(/^\{"price":2500,/)
  expect(() => void JSON.parse(text)).toThrow(SyntaxError)
  expect(await (await getPrice()).text()).toBe('2500')
})

test('body cut-off: the connection ends in the middle of it', async () => {
  const { simulator, getPrice } = await faulty({ body: 'cut-off' })
  for (const response of [await getDepth(simulator, ether), await getPrice()]) {
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('terminated')
  }
  expect((await fetch(simulator.baseUrl + depthPath(ether))).status).toBe(401)
})

test('body oversized: two megabytes, and still JSON', async () => {
  const { simulator } = await faulty({ body: 'oversized' })
  const text = await (await getDepth(simulator, ether)).text()
  expect(text.length).toBeGreaterThan(2 * 1024 * 1024)
  expect(JSON.parse(text)).toMatchObject({ price: 2500 })
})

test('body html: the page of a gateway', async () => {
  const { getPrice } = await faulty({ body: 'html' })
  const response = await getPrice()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html'])
  expect(await response.text()).toContain('<h1>Bad gateway</h1>')
})

test('body faults concern successful answers only', async () => {
  const { simulator } = await faulty({ body: 'html' })
  expect(await (await getDepth(simulator, '0xdead')).text()).toMatch(/^UnsupportedPair/)
})

test('quantitiesAsText: decimal strings', async () => {
  const { simulator } = await faulty({ quantitiesAsText: true })
  expect(await (await getDepth(simulator, ether)).json()).toMatchObject({
    buy: { total_quantity: '3000000000000000000', total_quantity_usd: 7500 },
    sell: { total_quantity: '1000000000000000000' },
  })
})

test('requests that are answered wrongly are still received, signed as they were', async () => {
  const { simulator } = await faulty({ httpStatus: 500 })
  const path = depthPath(ether)
  const headers = signedHeaders(simulator.authKey, path)
  await fetch(simulator.baseUrl + path, { headers })
  expect(simulator.requests.at(-1)).toMatchObject({ path, headers })
})
