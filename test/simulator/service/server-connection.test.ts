import fc from 'fast-check'
import type { SimulatorOptions } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { openRawClient, type RawClient } from '../../support/network/raw-client.js'
import { usdc, wbtc, weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'

const eth = `svc-${weth}`
const btc = `svc-${wbtc}`

const confirmed = (...subscriptions: string[]) => JSON.stringify({ subscriptions })
const priced = (topic: string, price: number) => JSON.stringify({ topic, price })

const connected = async (options: SimulatorOptions = {}) => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market, ...options })
  return { market, simulator, client: await openRawClient(simulator.priceWsUrl) }
}

/** All frames before the response to a final, invalid message. */
const settled = async (client: RawClient): Promise<readonly string[]> => {
  client.socket.send('end')
  const response = 'Invalid request: expected a JSON object'
  await eventually(() => client.frames.includes(response))
  return client.frames.slice(0, client.frames.indexOf(response))
}

test('a connection confirms a subscribe with all topics, then sends the price and every change (section 6)', async () => {
  const { market, client } = await connected()
  client.subscribe(eth)
  client.subscribe(btc)
  expect(await client.firstFrames(4)).toEqual([
    confirmed(eth),
    priced(eth, 2500),
    confirmed(eth, btc),
    priced(btc, 60_000),
  ])
  market.update({ price: 2501 })
  market.update({ price: 2500.25 })
  expect((await client.firstFrames(6)).slice(4)).toEqual([priced(eth, 2501), priced(eth, 2500.25)])
})

test('a connection confirms an unsubscribe with the remaining topics and sends no more prices (section 6)', async () => {
  const { market, client } = await connected()
  client.subscribe(eth)
  client.subscribe(btc)
  client.unsubscribe(eth)
  client.unsubscribe('svc-0xdead')
  client.unsubscribe(btc)
  await client.firstFrames(7)
  market.update({ price: 2501 })
  expect((await settled(client)).slice(4)).toEqual([confirmed(btc), confirmed(btc), confirmed()])
})

test('a connection repeats the last price while nothing changes (section 6)', async () => {
  const { client } = await connected({ repeat: 20 })
  client.subscribe(eth)
  expect((await client.firstFrames(5)).slice(1)).toEqual(new Array(4).fill(priced(eth, 2500)))
})

test('a connection treats topics as case-insensitive and echoes the latest spelling (section 2.2)', async () => {
  const { market, simulator, client } = await connected()
  const upper = `svc-0x${weth.slice(2).toUpperCase()}`
  client.subscribe(eth)
  client.subscribe(upper)
  await client.firstFrames(4)
  market.update({ price: 2501 })
  expect((await client.firstFrames(5)).slice(2)).toEqual([
    confirmed(upper),
    priced(upper, 2500),
    priced(upper, 2501),
  ])
  client.unsubscribe(eth)
  expect((await client.firstFrames(6))[5]).toBe(confirmed())
  expect(simulator.connections[0]?.topics).toEqual([])
})

test.each(['', 'svc', 'svc-', 'svc-82af', 'acme-0xdead', `${eth}-${usdc}`, 'svc-0xab ', 'SVC-0xab'])(
  'a connection rejects a subscribe and an unsubscribe of the malformed topic "%s" (section 7)',
  async (topic) => {
    const { client } = await connected()
    client.subscribe(topic)
    client.unsubscribe(topic)
    expect(await settled(client)).toEqual(new Array(2).fill('Invalid (exchange, base, quote) tuple'))
  },
)

test('a connection rejects a topic of an unsupported token (section 7)', async () => {
  const { simulator, client } = await connected({ service: 'acme' })
  client.subscribe('acme-0xDEAD')
  expect(await settled(client)).toEqual([
    `Invalid (exchange, base, quote) tuple: acme does not support the pair (0xdead, ${usdc})`,
  ])
  expect(simulator.connections[0]?.topics).toEqual([])
})

test('a connection sends an error text for an invalid message or a binary frame, and stays open (section 7)', async () => {
  const { client } = await connected()
  client.socket.send('{"method":"subscribe"')
  client.socket.send(Buffer.from([1, 2]))
  client.socket.send('{"method":"ping"}')
  client.subscribe(eth)
  expect(await client.firstFrames(5)).toEqual([
    'Invalid request: expected a JSON object',
    'Invalid request: expected a text frame',
    'Invalid request: expected method to be subscribe or unsubscribe',
    confirmed(eth),
    priced(eth, 2500),
  ])
})

test('a connection sends one response for each message, for any messages', async () => {
  const { simulator } = await connected()
  const topic = fc.oneof(fc.constantFrom(eth, btc, 'svc-0xdead', 'svc'), fc.string())
  const valid = fc
    .record({ method: fc.constantFrom('subscribe', 'unsubscribe'), topic })
    .map((m) => JSON.stringify(m))
  const cut = fc.tuple(valid, fc.nat(80)).map(([text, length]) => text.slice(0, length))
  const message = fc.oneof(valid, cut, fc.string(), fc.json(), fc.uint8Array())
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 30 }), async (messages) => {
      const client = await openRawClient(simulator.priceWsUrl)
      for (const each of messages) client.socket.send(each)
      client.subscribe('svc-0xbeef')
      const last = `Invalid (exchange, base, quote) tuple: svc does not support the pair (0xbeef, ${usdc})`
      await eventually(() => client.frames.at(-1) === last)
      const responses = client.frames.filter((frame) => !frame.startsWith('{"topic"'))
      expect(responses).toHaveLength(messages.length + 1)
      client.socket.terminate()
    }),
    { numRuns: 50 },
  )
})

test('connections have separate topics and prices', async () => {
  const { simulator, market, client } = await connected()
  const other = await openRawClient(`${simulator.priceWsUrl}/gate?key=1`)
  client.subscribe(eth)
  other.subscribe(btc)
  await Promise.all([client.firstFrames(2), other.firstFrames(2)])
  market.update({ price: 2501 })
  expect((await client.firstFrames(3))[2]).toBe(priced(eth, 2501))
  expect(await settled(other)).toEqual([confirmed(btc), priced(btc, 60_000)])
  expect(simulator.connections).toEqual([
    { id: 1, path: '/', topics: [eth], pings: 0 },
    { id: 2, path: '/gate?key=1', topics: [btc], pings: 0 },
  ])
  expect(simulator.frames.map(({ connection, text }) => `${connection} ${text.slice(0, 12)}`).sort()).toEqual(
    ['1 {"method":"s', '2 end', '2 {"method":"s'],
  )
})
