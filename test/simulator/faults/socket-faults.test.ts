import type { Faults } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../../support/time/eventually.js'
import { openRawClient } from '../../support/network/raw-client.js'
import { usdc, wbtc, weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'

const eth = `svc-${weth}`
const btc = `svc-${wbtc}`

const confirmed = (...subscriptions: string[]) => JSON.stringify({ subscriptions })
const priced = (topic: string, price: number) => JSON.stringify({ topic, price })

const connected = async (faults: Faults) => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market, faults })
  return { market, simulator, client: await openRawClient(simulator.priceWsUrl) }
}

test.each([undefined, 1011])('drop closes connections periodically with code %s', async (code) => {
  const simulator = await startTestSimulator({
    tick: 5,
    faults: { drop: { every: 20, ...(code === undefined ? {} : { code }) } },
  })
  for (let round = 0; round < 3; round++) {
    expect(await (await openRawClient(simulator.priceWsUrl)).waitForClose()).toBe(code ?? 1006)
  }
  simulator.inject({})
  const client = await openRawClient(simulator.priceWsUrl)
  client.subscribe(eth)
  await client.firstFrames(50)
  expect(client.closeCode).toBeUndefined()
})

test('stall accepts connections and requests but sends nothing, then responds to all when it ends', async () => {
  const { market, simulator, client } = await connected({})
  client.subscribe(eth)
  await client.firstFrames(2)
  simulator.inject({ stall: true })
  client.subscribe(btc)
  client.socket.ping()
  market.update({ price: 2501 })
  const late = await openRawClient(simulator.priceWsUrl)
  late.socket.ping()
  late.subscribe(eth)
  const request = fetch(`${simulator.priceBaseUrl}/price/${eth}`).then((response) => response.text())
  await eventually(() => simulator.requests.length === 1 && simulator.connections.length === 2)
  expect(simulator.frames).toHaveLength(1)
  expect([client.frames.length, client.pongs, late.frames.length, late.pongs]).toEqual([2, 0, 0, 0])
  expect(simulator.connections.map(({ pings }) => pings)).toEqual([0, 0])

  // The service handles the request after the stall: the response has the latest price.
  market.update({ price: 2502 })
  simulator.inject({})
  expect(await request).toBe('2502')
  expect((await client.firstFrames(4)).slice(2)).toEqual([confirmed(eth, btc), priced(btc, 60_000)])
  expect(await late.firstFrames(2)).toEqual([confirmed(eth), priced(eth, 2502)])
  await eventually(() => client.pongs === 1 && late.pongs === 1)
})

test('stall tolerates a client that aborts a request', async () => {
  const { simulator } = await connected({ stall: true })
  const aborter = new AbortController()
  const url = `${simulator.priceBaseUrl}/price/${eth}`
  const result = fetch(url, { signal: aborter.signal }).catch(() => 'no response')
  await eventually(() => simulator.requests.length === 1)
  aborter.abort()
  expect(await result).toBe('no response')
  // The server has closed the first connection when it receives the next request.
  const next = fetch(url)
  await eventually(() => simulator.requests.length === 2)
  simulator.inject({})
  expect((await next).status).toBe(200)
})

test('stall leaves close frames unanswered, but dropConnections still sends its own', async () => {
  const { simulator, client } = await connected({ stall: true })
  const closing = await openRawClient(simulator.priceWsUrl)
  closing.socket.close()
  simulator.dropConnections(1012)
  expect(await client.waitForClose()).toBe(1012)
})

test.each([503, 404, 302, 599])('refuseUpgrades refuses an upgrade with status %s', async (status) => {
  const simulator = await startTestSimulator({ faults: { refuseUpgrades: status } })
  const socket = new WebSocket(simulator.priceWsUrl)
  const response = await new Promise((resolve) =>
    socket
      .on('unexpected-response', (request, { statusCode, statusMessage }) => {
        resolve([statusCode, statusMessage])
        request.destroy()
      })
      .on('error', () => undefined),
  )
  expect(response).toEqual([
    status,
    { 503: 'Service Unavailable', 404: 'Not Found', 302: 'Found' }[status] ?? 'Unknown',
  ])
  expect([simulator.upgrades, simulator.connections.length]).toEqual([1, 0])
  simulator.inject({})
  await openRawClient(simulator.priceWsUrl)
  expect(simulator.upgrades).toBe(2)
})

test('garbage sends one garbage frame before each price, of each kind in turn', async () => {
  const { market, client } = await connected({
    garbage: ['malformed', 'no-message', 'wrong-price', 'unknown-topic', 'binary'],
  })
  client.subscribe(eth)
  await client.firstFrames(3)
  for (let price = 2501; price < 2510; price++) market.update({ price })
  const [confirmation, ...frames] = await client.firstFrames(21)
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

test('garbage wrong-price sends a different invalid price each time', async () => {
  const { market, client } = await connected({ garbage: ['wrong-price'] })
  client.subscribe(eth)
  await client.firstFrames(3)
  for (let price = 2501; price < 2507; price++) market.update({ price })
  const frames = await client.firstFrames(15)
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

test('garbage oversized sends a frame of 2 MiB', async () => {
  const { client } = await connected({ garbage: ['oversized'] })
  client.subscribe(eth)
  const [, oversized] = await client.firstFrames(3)
  expect(oversized).toHaveLength(2 * 1024 * 1024)
})

test('rejectSubscribes sends an error text, without the address if namelessErrors is on', async () => {
  const { simulator, client } = await connected({ rejectSubscribes: true })
  client.subscribe(eth)
  await client.firstFrames(1)
  simulator.inject({ rejectSubscribes: true, namelessErrors: true })
  client.subscribe(eth)
  await client.firstFrames(2)
  simulator.inject({ namelessErrors: true })
  client.subscribe('svc-0xdead')
  client.subscribe(eth)
  expect(await client.firstFrames(4)).toEqual([
    `Invalid (exchange, base, quote) tuple: svc does not support the pair (${weth}, ${usdc})`,
    'Invalid (exchange, base, quote) tuple',
    'Invalid (exchange, base, quote) tuple',
    confirmed(eth),
  ])
})

test('confirmations none sends prices without confirmations', async () => {
  const { client } = await connected({ confirmations: 'none' })
  client.subscribe(eth)
  client.unsubscribe(eth)
  client.subscribe(btc)
  expect(await client.firstFrames(2)).toEqual([priced(eth, 2500), priced(btc, 60_000)])
})

test('confirmations new-only confirms only the new topic', async () => {
  const { client } = await connected({ confirmations: 'new-only' })
  client.subscribe(eth)
  client.subscribe(btc)
  client.unsubscribe(btc)
  client.subscribe(eth)
  expect(await client.firstFrames(6)).toEqual([
    confirmed(eth),
    priced(eth, 2500),
    confirmed(btc),
    priced(btc, 60_000),
    confirmed(eth),
    priced(eth, 2500),
  ])
})

test('echoQuote echoes topics in lower case with the quote token appended', async () => {
  const { client } = await connected({ echoQuote: true })
  client.subscribe(`svc-0x${weth.slice(2).toUpperCase()}`)
  expect(await client.firstFrames(2)).toEqual([confirmed(`${eth}-${usdc}`), priced(`${eth}-${usdc}`, 2500)])
})

test('delist stops the prices of a token and rejects subscribes until list restores it', async () => {
  const { market, simulator, client } = await connected({})
  client.subscribe(eth)
  await client.firstFrames(2)
  simulator.delist(weth)
  expect(simulator.tokens.map(({ symbol }) => symbol)).toEqual(['BTC'])
  market.update({ price: 2501 })
  client.subscribe(eth)
  simulator.list({ address: '0xAB', price: 7 })
  client.subscribe('svc-0xab')
  const errorText = `Invalid (exchange, base, quote) tuple: svc does not support the pair (${weth}, ${usdc})`
  expect((await client.firstFrames(5)).slice(2)).toEqual([
    errorText,
    confirmed(eth, 'svc-0xab'),
    priced('svc-0xab', 7),
  ])
  simulator.list(weth)
  await eventually(() => client.frames.includes(priced(eth, 2501)))
  expect(simulator.tokens.map(({ address }) => address)).toEqual([weth, wbtc, '0xab'])
  expect(() => simulator.list('ether' as '0x')).toThrow('address: expected a token address')
})
