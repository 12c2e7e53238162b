import { getEventListeners } from 'node:events'
import { createClient } from 'svc-streams'
import type { Faults } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { clientOf, closing, ethTopic, record, startService, weth } from '../support/simulator.js'
import { tcpServer } from '../support/network/servers.js'
import { runProgram } from '../support/process/node-process.js'

/** Accepts connections and never responds. */
const deafServer = async (): Promise<string> => `127.0.0.1:${await tcpServer((socket) => socket.resume())}`

describe('a process exits when the client is', () => {
  it.each<[title: string, when: string, at?: Faults | 'a deaf service']>([
    ['without subscribers', 'all have left'],
    [
      'without subscribers during a reconnect delay',
      'all have left while it waits to reconnect',
      { refuseUpgrades: 503 },
    ],
    [
      'without subscribers during a dial and requests',
      'all have left while it dials and requests',
      'a deaf service',
    ],
    ['closed', 'closed'],
    ['closed during a dial and requests', 'closed while it dials and requests', 'a deaf service'],
    ['closed during a reconnect delay', 'closed while it waits to reconnect', { refuseUpgrades: 503 }],
    ['closed while the service does not respond', 'closed with a frozen peer', { stall: true }],
    ['disposed', 'disposed'],
  ])('%s, and the service has no open socket', async (_title, when, at = {}) => {
    const isDeaf = at === 'a deaf service'
    const faults = isDeaf ? {} : at
    const simulator = await startService({ tokens: [weth], faults })
    const { baseUrl, priceBaseUrl, priceWsUrl, authKey } = simulator
    const deaf = await deafServer()
    const addresses = isDeaf
      ? { baseUrl: `http://${deaf}`, priceBaseUrl: `http://${deaf}`, priceWsUrl: `ws://${deaf}`, authKey }
      : { baseUrl, priceBaseUrl, priceWsUrl, authKey }
    expect(await runProgram('test/promises/programs/ends.ts', [when, JSON.stringify(addresses)])).toBe(
      'ended by itself\n',
    )
    simulator.inject({})
    await eventually(() => expect(simulator.connections).toEqual([]))
  })
})

describe('a shared AbortSignal', () => {
  it('keeps no listener of a closed client', async () => {
    const simulator = await startService()
    const { signal } = new AbortController()
    const clients = Array.from({ length: 100 }, () =>
      closing(createClient({ environment: 'mainnet', ...simulator, signal })),
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
    const simulator = await startService()
    const client = clientOf(simulator, { linger: 10 })
    const streams = [record(client.price$(ethTopic)), record(client.price$(ethTopic))]
    await eventually(() => streams.forEach(({ rights }) => expect(rights().length).toBeGreaterThan(0)))
    for (const { subscription } of streams) subscription.unsubscribe()
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(client.inspect()).toEqual({ status: { _tag: 'Idle' }, topics: [], polls: [] })
    const again = record(client.price$(ethTopic))
    await eventually(() => expect(again.rights().length).toBeGreaterThan(0))
    expect(simulator.connections.length).toBe(1)
  })

  it('and no open request after close(), which aborts dials and requests in progress', async () => {
    const ends = { opened: 0, closed: 0 }
    const port = await tcpServer((socket) => {
      ends.opened += 1
      socket.resume().once('close', () => (ends.closed += 1))
      socket.once('end', () => socket.destroy())
    })
    const base = `http://127.0.0.1:${port}`
    const simulator = await startService()
    const client = clientOf(simulator, {
      baseUrl: base,
      priceBaseUrl: base,
      priceWsUrl: `ws://127.0.0.1:${port}`,
    })
    record(client.price$(ethTopic))
    record(client.depth$(weth, 10))
    void client.price(ethTopic)()
    await eventually(() => expect(ends.opened).toBe(3))
    await client.close()
    await eventually(() => expect(ends).toEqual({ opened: 3, closed: 3 }))
  })
})
