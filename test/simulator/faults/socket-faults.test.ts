import type { Faults } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { dial, until } from '../support/dial.js'
import { bitcoin, ether, manualMarket, quote } from '../support/manual-market.js'
import { running } from '../support/running.js'

const eth = `svc-${ether}`
const btc = `svc-${bitcoin}`

const confirmed = (...subscriptions: string[]) => JSON.stringify({ subscriptions })
const priced = (topic: string, price: number) => JSON.stringify({ topic, price })

const connected = async (faults: Faults) => {
  const market = manualMarket()
  const simulator = await running({ market, faults })
  return { market, simulator, client: await dial(simulator.priceWsUrl) }
}

test.each([undefined, 1011])('drop: connections end again and again, with code %s', async (code) => {
  const simulator = await running({
    tick: 5,
    faults: { drop: { every: 20, ...(code === undefined ? {} : { code }) } },
  })
  for (let round = 0; round < 3; round++) {
    expect(await (await dial(simulator.priceWsUrl)).closed()).toBe(code ?? 1006)
  }
  simulator.inject({})
  const client = await dial(simulator.priceWsUrl)
  client.subscribe(eth)
  await client.first(50)
  expect(client.code).toBeUndefined()
})

test('stall: everything is accepted and nothing answered, pings included; then all of it is', async () => {
  const { market, simulator, client } = await connected({})
  client.subscribe(eth)
  await client.first(2)
  simulator.inject({ stall: true })
  client.subscribe(btc)
  client.socket.ping()
  market.move({ price: 2501 })
  const late = await dial(simulator.priceWsUrl)
  late.socket.ping()
  late.subscribe(eth)
  const request = fetch(`${simulator.priceBaseUrl}/price/${eth}`).then((response) => response.text())
  await until(() => simulator.requests.length === 1 && simulator.connections.length === 2)
  expect(simulator.frames).toHaveLength(1)
  expect([client.frames.length, client.pongs, late.frames.length, late.pongs]).toEqual([2, 0, 0, 0])
  expect(simulator.connections.map(({ pings }) => pings)).toEqual([0, 0])

  // The request is taken up after the stall, and not only answered then.
  market.move({ price: 2502 })
  simulator.inject({})
  expect(await request).toBe('2502')
  expect((await client.first(4)).slice(2)).toEqual([confirmed(eth, btc), priced(btc, 60_000)])
  expect(await late.first(2)).toEqual([confirmed(eth), priced(eth, 2502)])
  await until(() => client.pongs === 1 && late.pongs === 1)
})

test('stall: a request that is given up before its end hurts nobody', async () => {
  const { simulator } = await connected({ stall: true })
  const impatient = new AbortController()
  const url = `${simulator.priceBaseUrl}/price/${eth}`
  const given = fetch(url, { signal: impatient.signal }).catch(() => 'no answer')
  await until(() => simulator.requests.length === 1)
  impatient.abort()
  expect(await given).toBe('no answer')
  // The next request comes after the end of that connection.
  const next = fetch(url)
  await until(() => simulator.requests.length === 2)
  simulator.inject({})
  expect((await next).status).toBe(200)
})

test('stall: no goodbye is answered, but dropConnections still says its own', async () => {
  const { simulator, client } = await connected({ stall: true })
  const leaving = await dial(simulator.priceWsUrl)
  leaving.socket.close()
  simulator.dropConnections(1012)
  expect(await client.closed()).toBe(1012)
})

test.each([503, 404, 302, 599])('refuseUpgrades: the upgrade is answered with %s', async (status) => {
  const simulator = await running({ faults: { refuseUpgrades: status } })
  const socket = new WebSocket(simulator.priceWsUrl)
  const answer = await new Promise((resolve) =>
    socket
      .on('unexpected-response', (request, response) => {
        resolve([response.statusCode, response.statusMessage])
        request.destroy()
      })
      .on('error', () => undefined),
  )
  expect(answer).toEqual([
    status,
    { 503: 'Service Unavailable', 404: 'Not Found', 302: 'Found' }[status] ?? 'Unknown',
  ])
  expect([simulator.upgrades, simulator.connections.length]).toEqual([1, 0])
  simulator.inject({})
  await dial(simulator.priceWsUrl)
  expect(simulator.upgrades).toBe(2)
})

test('garbage: one piece before each price, in turn, all kinds', async () => {
  const { market, client } = await connected({
    garbage: ['malformed', 'no-message', 'wrong-price', 'unknown-topic', 'binary'],
  })
  client.subscribe(eth)
  await client.first(3)
  for (let price = 2501; price < 2510; price++) market.move({ price })
  const [confirmation, ...frames] = await client.first(21)
  expect(confirmation).toBe(confirmed(eth))
  expect(frames.filter((_, index) => index % 2 === 1)).toEqual(
    Array.from({ length: 10 }, (_, index) => priced(eth, 2500 + index)),
  )
  expect(frames.filter((_, index) => index % 2 === 0)).toEqual([
    `{"topic":"${eth}","price":`,
    '{}',
    `{"topic":"${eth}","price":"12.5"}`,
    '{"topic":"another-0xdead","price":12.5}',
    'binary deadbeef',
    `{"topic":"${eth}","price":`,
    '[]',
    `{"topic":"${eth}","price":0}`,
    '{"topic":"another-0xdead","price":12.5}',
    'binary deadbeef',
  ])
})

test('garbage: wrong prices in turn, none of which is a price', async () => {
  const { market, client } = await connected({ garbage: ['wrong-price'] })
  client.subscribe(eth)
  await client.first(3)
  for (let price = 2501; price < 2507; price++) market.move({ price })
  const frames = await client.first(15)
  const prices = frames.slice(1).filter((_, index) => index % 2 === 0)
  expect(prices.map((text) => (JSON.parse(text) as { price: unknown }).price)).toEqual([
    '12.5',
    0,
    -12.5,
    null,
    Infinity,
    undefined,
    '12.5',
  ])
})

test('garbage: an oversized frame', async () => {
  const { client } = await connected({ garbage: ['oversized'] })
  client.subscribe(eth)
  const [, oversized] = await client.first(3)
  expect(oversized).toHaveLength(2 * 1024 * 1024)
})

test('rejectSubscribes: an error text with the address, or with none', async () => {
  const { simulator, client } = await connected({ rejectSubscribes: true })
  client.subscribe(eth)
  await client.first(1)
  simulator.inject({ rejectSubscribes: true, namelessErrors: true })
  client.subscribe(eth)
  await client.first(2)
  simulator.inject({ namelessErrors: true })
  client.subscribe('svc-0xdead')
  client.subscribe(eth)
  expect(await client.first(4)).toEqual([
    `Invalid (exchange, base, quote) tuple: svc does not support the pair (${ether}, ${quote})`,
    'Invalid (exchange, base, quote) tuple',
    'Invalid (exchange, base, quote) tuple',
    confirmed(eth),
  ])
})

test('confirmations: none', async () => {
  const { client } = await connected({ confirmations: 'none' })
  client.subscribe(eth)
  client.unsubscribe(eth)
  client.subscribe(btc)
  expect(await client.first(2)).toEqual([priced(eth, 2500), priced(btc, 60_000)])
})

test('confirmations: of the new topic only', async () => {
  const { client } = await connected({ confirmations: 'new-only' })
  client.subscribe(eth)
  client.subscribe(btc)
  client.unsubscribe(btc)
  client.subscribe(eth)
  expect(await client.first(6)).toEqual([
    confirmed(eth),
    priced(eth, 2500),
    confirmed(btc),
    priced(btc, 60_000),
    confirmed(eth),
    priced(eth, 2500),
  ])
})

test('echoQuote: topics come back lower-cased, with a quote', async () => {
  const { client } = await connected({ echoQuote: true })
  client.subscribe(`svc-0x${ether.slice(2).toUpperCase()}`)
  expect(await client.first(2)).toEqual([confirmed(`${eth}-${quote}`), priced(`${eth}-${quote}`, 2500)])
})

test('delist and list: those who are subscribed hear no more, others are refused, until it is back', async () => {
  const { market, simulator, client } = await connected({})
  client.subscribe(eth)
  await client.first(2)
  simulator.delist(ether)
  expect(simulator.tokens.map(({ symbol }) => symbol)).toEqual(['BTC'])
  market.move({ price: 2501 })
  client.subscribe(eth)
  simulator.list({ address: '0xAB', price: 7 })
  client.subscribe('svc-0xab')
  const refusal = `Invalid (exchange, base, quote) tuple: svc does not support the pair (${ether}, ${quote})`
  expect((await client.first(5)).slice(2)).toEqual([
    refusal,
    confirmed(eth, 'svc-0xab'),
    priced('svc-0xab', 7),
  ])
  simulator.list(ether)
  await until(() => client.frames.includes(priced(eth, 2501)))
  expect(simulator.tokens.map(({ address }) => address)).toEqual([ether, bitcoin, '0xab'])
  expect(() => simulator.list('ether' as '0x')).toThrow('address: expected a token address')
})
