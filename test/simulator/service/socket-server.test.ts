import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { openRawClient } from '../../support/network/raw-client.js'
import { weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'
import { startTestSimulator } from '../../support/simulator.js'

const topic = `svc-${weth}`

test('the WebSocket server logs frames in order, binary frames as hex', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const client = await openRawClient(simulator.priceWsUrl)
  client.subscribe(topic)
  client.socket.send(Buffer.from([0xde, 0xad]))
  client.unsubscribe(topic)
  await client.firstFrames(4)
  expect(simulator.frames).toEqual([
    { connection: 1, text: `{"method":"subscribe","topic":"${topic}"}` },
    { connection: 1, text: 'dead' },
    { connection: 1, text: `{"method":"unsubscribe","topic":"${topic}"}` },
  ])
})

test('the WebSocket server answers and counts pings', async () => {
  const simulator = await startTestSimulator({})
  const client = await openRawClient(simulator.priceWsUrl)
  client.socket.ping()
  client.socket.ping()
  await eventually(() => client.pongs === 2)
  expect(simulator.connections[0]?.pings).toBe(2)
})

test('the WebSocket server removes a closed connection and gives the next one a new id', async () => {
  const simulator = await startTestSimulator({})
  const client = await openRawClient(simulator.priceWsUrl)
  client.socket.close()
  await eventually(() => simulator.connections.length === 0)
  expect(await client.waitForClose()).toBe(1005)
  await openRawClient(simulator.priceWsUrl)
  expect(simulator.connections.map(({ id }) => id)).toEqual([2])
  expect(simulator.upgrades).toBe(2)
})

test('the WebSocket server responds 426 to a request without an upgrade', async () => {
  const { priceWsUrl } = await startTestSimulator({})
  const response = await fetch(priceWsUrl.replace('ws:', 'http:'))
  expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket'])
  expect(await response.text()).toBe('Upgrade Required')
})

test('the WebSocket server closes only the connection that sends an oversized message, with 1009', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const [long, other] = [await openRawClient(simulator.priceWsUrl), await openRawClient(simulator.priceWsUrl)]
  long.socket.send(randomBytes(65 * 1024))
  expect(await long.waitForClose()).toBe(1009)
  other.subscribe(topic)
  await other.firstFrames(2)
})

test('dropConnections closes all connections, with a close frame if a code is given', async () => {
  const simulator = await startTestSimulator({ market: manualMarket() })
  const codes = [undefined, 1000, 1012, 4000]
  for (const code of codes) {
    const clients = [await openRawClient(simulator.priceWsUrl), await openRawClient(simulator.priceWsUrl)]
    simulator.dropConnections(code)
    expect(simulator.connections).toEqual([])
    expect(await Promise.all(clients.map((client) => client.waitForClose()))).toEqual(
      new Array(2).fill(code ?? 1006),
    )
  }
  for (const code of [999, 1005, 1006, 1015, 2000, 5000, 1000.5]) {
    expect(() => simulator.dropConnections(code)).toThrow('code: expected a close code: 1000 to 1003')
  }
})

test('send sends a raw frame over all connections', async () => {
  const simulator = await startTestSimulator({})
  const clients = [await openRawClient(simulator.priceWsUrl), await openRawClient(simulator.priceWsUrl)]
  simulator.send('Error reading prices: try again')
  simulator.send(new Uint8Array([1, 255]))
  for (const client of clients) {
    expect(await client.firstFrames(2)).toEqual(['Error reading prices: try again', 'binary 01ff'])
  }
})
