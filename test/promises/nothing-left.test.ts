import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from 'svc-streams'
import type { Faults } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { clientOf, closing, ethTopic, record, startService, weth } from '../support/service.js'
import { tcpServer } from '../transport/support/servers.js'

const pathOf = (program: string): string => fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url))

/** Runs a program to its own end. One that does not end is ended, and that rejects. */
const run = async (
  program: string,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<string> => {
  const node = [...flags, '--import', 'tsx', pathOf(program), ...args]
  return (await promisify(execFile)(process.execPath, node, { timeout: 25_000 })).stdout
}

/** Compiled code comes and goes on the same heap as what is measured. */
const uncompiled = ['--expose-gc', '--no-opt', '--no-sparkplug', '--no-flush-bytecode']

/** Accepts connections, and never says a word. */
const deafServer = async (): Promise<string> => `127.0.0.1:${await tcpServer((socket) => socket.resume())}`

describe('a process ends by itself when', () => {
  it.each<[when: string, at?: Faults | 'a deaf service']>([
    ['all have left'],
    ['all have left while it waits to reconnect', { refuseUpgrades: 503 }],
    ['all have left while it dials and requests', 'a deaf service'],
    ['closed'],
    ['closed while it dials and requests', 'a deaf service'],
    ['closed while it waits to reconnect', { refuseUpgrades: 503 }],
    ['closed with a frozen peer', { stall: true }],
    ['disposed'],
  ])('%s, and no socket is left at the service', async (when, at = {}) => {
    const isDeaf = at === 'a deaf service'
    const faults = isDeaf ? {} : at
    const simulator = await startService({ tokens: [weth], faults })
    const { baseUrl, priceBaseUrl, priceWsUrl, authKey } = simulator
    const deaf = await deafServer()
    const addresses = isDeaf
      ? { baseUrl: `http://${deaf}`, priceBaseUrl: `http://${deaf}`, priceWsUrl: `ws://${deaf}`, authKey }
      : { baseUrl, priceBaseUrl, priceWsUrl, authKey }
    expect(await run('ends', [when, JSON.stringify(addresses)])).toBe('ended by itself\n')
    simulator.inject({})
    await eventually(() => expect(simulator.connections).toEqual([]))
  })
})

describe('the heap stays as it is, and nothing warns, after', () => {
  it.each([
    // Whatever stayed of a cycle, be it one listener, would be more; less than that is what is made once, and late.
    ['10 000 times price$, depth$, errors$ and status$: streams that others hear', 32],
    ['10 000 times price$ of a topic that nobody else hears', 32],
    // The sockets of abandoned requests come and go. A request that stayed would be some kB.
    ['1000 times depth$ of a mint that nobody else polls', 400],
    ['1000 reconnects', 32],
    ['1000 clients that share a signal', 32],
  ])('%s', async (how, bytes) => {
    const what = how.replace(/^[\d ]+(times )?(.*: )?/, '')
    const { bytesPerCycle, warnings, listeners } = JSON.parse(await run('flat', [what], uncompiled)) as {
      bytesPerCycle: number
      warnings: readonly string[]
      listeners: number
    }
    expect(bytesPerCycle).toBeLessThan(bytes)
    expect(warnings).toEqual([])
    expect(listeners).toBe(0)
  })
})

describe('an AbortSignal', () => {
  it('that clients share is left by each that is closed', async () => {
    const simulator = await startService()
    const { signal } = new AbortController()
    const clients = Array.from({ length: 100 }, () =>
      closing(createClient({ environment: 'mainnet', ...simulator, signal })),
    )
    for (const client of clients) {
      // One for all of them: of more than ten, Node warns.
      expect(getEventListeners(signal, 'abort').length).toBe(1)
      await client.close()
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('the service sees', () => {
  it('no socket once the last has left, though the client lives on', async () => {
    const simulator = await startService()
    const client = clientOf(simulator, { linger: 10 })
    const streams = [record(client.price$(ethTopic)), record(client.price$(ethTopic))]
    await eventually(() => streams.forEach(({ rights }) => expect(rights().length).toBeGreaterThan(0)))
    for (const { subscription } of streams) subscription.unsubscribe()
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(client.inspect()).toEqual({ status: { _tag: 'Idle' }, topics: [], polls: [] })
    // And it may begin anew.
    const again = record(client.price$(ethTopic))
    await eventually(() => expect(again.rights().length).toBeGreaterThan(0))
    expect(simulator.connections.length).toBe(1)
  })

  it('no socket and no request after close(), of whatever was under way', async () => {
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
