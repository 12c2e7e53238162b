import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startTcpProxy } from 'svc-streams/simulator'
import { expect, it } from 'vitest'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { manualMarket } from '../support/manual-market.js'
import { startWebSocketServer } from '../support/network/servers.js'
import { describePython, pythonVariables } from '../support/process/describe-python.js'
import { spawnCommand } from '../support/process/node-process.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'

const program = fileURLToPath(new URL('../../examples/python/prices.py', import.meta.url))

/** A gateway of a market that the test moves. */
const startMarketGateway = async () => {
  const market = manualMarket()
  const simulator = await startTestSimulator({ market })
  const client = createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } })
  const gateway = await startTestGateway(client)
  return { market, simulator, client, gateway }
}

const spawnProgram = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  spawnCommand(['python3', '-W', 'error', program, ...args], {
    environment: { ...pythonVariables, ...variables },
  })

/** Starts the program. Returns a function that gives the events that it has printed. */
const startProgram = (
  url: string,
  variables: Readonly<Record<string, string>> = {},
  topic: string = ethTopic,
) => {
  const child = spawnProgram([url, topic], variables)
  return (): readonly unknown[] => {
    expect(child.stderr).toBe('')
    return child.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown)
  }
}

it('the consumer in Python has at most 60 lines', () => {
  expect(readFileSync(program, 'utf8').split('\n').length - 1).toBeLessThanOrEqual(60)
})

describePython('the consumer in Python', () => {
  it('prints the price that the gateway has, and each new one', async () => {
    const { market, gateway } = await startMarketGateway()
    const events = startProgram(gateway.priceWsUrl)
    await eventually(() => expect(events()).toEqual([{ topic: ethTopic, price: 2500 }]))
    market.update({ price: 2501.5 })
    await eventually(() =>
      expect(events()).toEqual([
        { topic: ethTopic, price: 2500 },
        { topic: ethTopic, price: 2501.5 },
      ]),
    )
  })

  it('counts the age of a price: one that the gateway has had for too long is not current, until a new one arrives', async () => {
    const { market, client, gateway } = await startMarketGateway()
    const subscription = client.price$(ethTopic).subscribe()
    await eventually(() => (client.inspect().topics[0]?.lastPriceAgeMs ?? 0) > 600)
    const events = startProgram(gateway.priceWsUrl, { STALE_AFTER: '0.6' })
    await eventually(() => expect(events()).toEqual([{ topic: ethTopic, stale: 'silent', last: 2500 }]))
    market.update({ price: 2501 })
    await eventually(() => expect(events()).toHaveLength(3))
    expect(events().slice(1)).toEqual([
      { topic: ethTopic, price: 2501 },
      { topic: ethTopic, stale: 'silent', last: 2501 },
    ])
    subscription.unsubscribe()
  })

  it('prints the close code when the gateway has lost its service, and prices after it has returned', async () => {
    const { simulator, gateway } = await startMarketGateway()
    const events = startProgram(gateway.priceWsUrl)
    await eventually(() => expect(events()).toHaveLength(1))
    simulator.inject({ refuseUpgrades: 503 })
    simulator.dropConnections()
    await eventually(() =>
      expect(events()[1]).toEqual({ disconnected: 1013, reason: expect.stringMatching(/./) as string }),
    )
    simulator.inject({})
    await eventually(() => expect(events().at(-1)).toEqual({ topic: ethTopic, price: 2500 }))
    expect(events().slice(2, -1)).toEqual(
      events()
        .slice(2, -1)
        .map(() => ({ disconnected: 1006, reason: expect.stringContaining('503') as string })),
    )
  })

  it('prints no price as current while it may be older than MAX_LAG, and the newest one afterwards', async () => {
    const { market, gateway } = await startMarketGateway()
    const proxy = closeAfterTest(await startTcpProxy({ target: gateway.priceWsUrl }))
    const events = startProgram(proxy.url, { MAX_LAG: '0.5' })
    await eventually(() => expect(events()).toHaveLength(1))
    proxy.freeze()
    await eventually(() => expect(events()[1]).toEqual({ topic: ethTopic, stale: 'behind', last: 2500 }))
    market.update({ price: 2501 })
    proxy.heal()
    await eventually(() => expect(events().at(-1)).toEqual({ topic: ethTopic, price: 2501 }))
  })

  it('prints the error text of a rejected topic', async () => {
    const { gateway } = await startMarketGateway()
    const events = startProgram(gateway.priceWsUrl, {}, 'svc-0xdead')
    await eventually(() =>
      expect(events()).toEqual([{ error: expect.stringMatching(/^Invalid .*0xdead/) as string }]),
    )
  })

  it('prints a malformed frame as an error, and continues', async () => {
    const malformed = [
      '{"topic":5,"price":1}',
      '{"topic":"abc","price":1}',
      `{"topic":"${ethTopic}","price":null}`,
      `{"topic":"${ethTopic}","price":true}`,
      `{"topic":"${ethTopic}","price":1,"age":"3"}`,
      '{"subscriptions":[5]}',
      '{"subscriptions":null}',
      '{"subscriptions":"abc"}',
      '{}',
      '[]',
      'null',
      '5',
      '"subscriptions"',
      '['.repeat(200_000),
    ]
    const { url } = await startWebSocketServer((socket) => {
      for (const frame of [...malformed, `{"topic":"${ethTopic}","price":1.5}`]) socket.send(frame)
    })
    const events = startProgram(url)
    await eventually(() => expect(events().at(-1)).toEqual({ topic: ethTopic, price: 1.5 }))
    expect(events().slice(0, -1)).toEqual(malformed.map((frame) => ({ error: frame.slice(0, 2000) })))
  })

  it('connects to the HTTP address of a gateway', async () => {
    const { gateway } = await startMarketGateway()
    const events = startProgram(gateway.priceBaseUrl)
    await eventually(() => expect(events()).toEqual([{ topic: ethTopic, price: 2500 }]))
  })

  it.each([
    { STALE_AFTER: 'abc' },
    { STALE_AFTER: '' },
    { STALE_AFTER: '-1' },
    { MAX_LAG: '0' },
    { MAX_LAG: 'nan' },
  ])('exits with 2, with a line that names the variable, for %o', async (variables) => {
    const child = spawnProgram(['ws://127.0.0.1:1', ethTopic], variables)
    expect(await child.waitForExit()).toBe(2)
    expect(child.output).toMatch(
      /^(STALE_AFTER: expected seconds, such as 30|MAX_LAG: expected seconds, such as 5)\n$/,
    )
  })

  it.each([{ args: [] }, { args: ['ws://127.0.0.1:1'] }, { args: ['127.0.0.1:1', ethTopic] }])(
    'prints its usage, and exits with 2, with the arguments $args',
    async ({ args }) => {
      const child = spawnProgram(args)
      expect(await child.waitForExit()).toBe(2)
      expect(child.output).toBe('usage: python3 prices.py ws://HOST:PORT TOPIC...\n')
    },
  )

  it.each(['ws://127.0.0.1:abc', 'http://127.0.0.1:65536', 'ws://[::1', 'wss://a..b', 'ws://user@127.0.0.1'])(
    'exits with 2, with a line that names the address, for %s',
    async (url) => {
      const child = spawnProgram([url, ethTopic])
      expect(await child.waitForExit()).toBe(2)
      expect(child.stdout).toBe('')
      expect(child.stderr.startsWith(`${url}: `)).toBe(true)
      expect(child.stderr.trim().split('\n')).toHaveLength(1)
    },
  )

  it('ends by Ctrl-C without a traceback', async () => {
    const { gateway } = await startMarketGateway()
    const child = spawnProgram([gateway.priceWsUrl, ethTopic])
    await eventually(() => expect(child.stdout).toContain('2500'))
    child.process.kill('SIGINT')
    // A shell shows the exit code 130 for this signal.
    expect(await child.waitForExit()).toBe('SIGINT')
    expect(child.stderr).toBe('')
  })
})
