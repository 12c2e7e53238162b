import { getEventListeners } from 'node:events'
import { createClient } from 'svc-streams'
import type { Faults } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { createClientFor, fastMarket, startTestSimulator } from '../support/simulator.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { ethTopic, weth } from '../support/tokens.js'
import { collectEvents } from '../support/collect-events.js'
import { startTcpServer } from '../support/network/servers.js'
import { runProgram } from '../support/process/node-process.js'

/** Starts a server that accepts connections and never responds. */
const startSilentServer = async (): Promise<string> =>
  `127.0.0.1:${await startTcpServer((socket) => socket.resume())}`

describe('a process exits when the client is', () => {
  it.each<[scenario: string, service?: Faults | 'unresponsive']>([
    ['without subscribers'],
    ['without subscribers during a reconnect delay', { refuseUpgrades: 503 }],
    ['without subscribers during a dial and requests', 'unresponsive'],
    ['closed'],
    ['closed during a dial and requests', 'unresponsive'],
    ['closed during a reconnect delay', { refuseUpgrades: 503 }],
    ['closed while the service does not respond', { stall: true }],
    ['disposed'],
  ])('%s, and the service has no open socket', async (scenario, service = {}) => {
    const isUnresponsive = service === 'unresponsive'
    const faults = isUnresponsive ? {} : service
    const simulator = await startTestSimulator({ ...fastMarket, tokens: [weth], faults })
    const { baseUrl, priceBaseUrl, priceWsUrl, authKey } = simulator
    const host = await startSilentServer()
    const addresses = isUnresponsive
      ? { baseUrl: `http://${host}`, priceBaseUrl: `http://${host}`, priceWsUrl: `ws://${host}`, authKey }
      : { baseUrl, priceBaseUrl, priceWsUrl, authKey }
    expect(
      await runProgram('test/promises/programs/exit-scenarios.ts', [scenario, JSON.stringify(addresses)]),
    ).toBe('exited\n')
    simulator.inject({})
    await eventually(() => expect(simulator.connections).toEqual([]))
  })
})

describe('a process exits during TLS handshakes that never end when the client is', () => {
  it.each([
    ['without subscribers', 2],
    ['closed', 3],
  ])('%s, and the service has no open socket', async (cause, connections) => {
    let greetings = 0
    let open = 0
    const port = await startTcpServer((socket) => {
      open += 1
      socket.once('close', () => (open -= 1))
      socket.once('end', () => socket.destroy())
      socket.once('data', () => (greetings += 1))
    })
    const readyPort = await startTcpServer((socket) => {
      void eventually(() => greetings === connections).then(() => socket.end())
    })
    const { authKey } = await startTestSimulator()
    const [http, webSocket] = [`https://127.0.0.1:${port}`, `wss://127.0.0.1:${port}`]
    const addresses = { baseUrl: http, priceBaseUrl: http, priceWsUrl: webSocket, authKey }
    const scenario = `${cause} during TLS handshakes`
    const program = 'test/promises/programs/exit-scenarios.ts'
    const args = [scenario, JSON.stringify(addresses), String(readyPort)]
    expect(await runProgram(program, args)).toBe('exited\n')
    await eventually(() => expect(open).toBe(0))
  })
})

describe('a shared AbortSignal', () => {
  it('keeps no listener of a closed client', async () => {
    const simulator = await startTestSimulator()
    const { signal } = new AbortController()
    const clients = Array.from({ length: 100 }, () =>
      closeAfterTest(createClient({ environment: 'mainnet', ...simulator, signal })),
    )
    for (const client of clients) {
      // The clients share one listener, because Node warns above ten.
      expect(getEventListeners(signal, 'abort').length).toBe(1)
      await client.close()
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('the service has no open socket', () => {
  it('after the last subscriber leaves, and the client can connect again', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, { linger: 10 })
    const streams = [collectEvents(client.price$(ethTopic)), collectEvents(client.price$(ethTopic))]
    await eventually(() => streams.forEach(({ values }) => expect(values().length).toBeGreaterThan(0)))
    for (const { subscription } of streams) subscription.unsubscribe()
    await eventually(() => expect(simulator.connections).toEqual([]))
    const lines = [{ url: simulator.priceWsUrl, state: 'waiting', isFront: true, lagMs: null }]
    expect(client.inspect()).toEqual({ status: { _tag: 'Idle' }, lines, topics: [], polls: [] })
    const again = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(again.values().length).toBeGreaterThan(0))
    expect(simulator.connections.length).toBe(1)
  })

  it('and no open request after close(), which aborts dials and requests in progress', async () => {
    const ends = { opened: 0, closed: 0 }
    const port = await startTcpServer((socket) => {
      ends.opened += 1
      socket.resume().once('close', () => (ends.closed += 1))
      socket.once('end', () => socket.destroy())
    })
    const base = `http://127.0.0.1:${port}`
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator, {
      baseUrl: base,
      priceBaseUrl: base,
      priceWsUrl: `ws://127.0.0.1:${port}`,
    })
    collectEvents(client.price$(ethTopic))
    collectEvents(client.depth$(weth, 10))
    void client.price(ethTopic)()
    await eventually(() => expect(ends.opened).toBe(3))
    await client.close()
    await eventually(() => expect(ends).toEqual({ opened: 3, closed: 3 }))
  })
})
