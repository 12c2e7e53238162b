import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  randomWalk,
  SimulatorError,
  startSimulator,
  type Quote,
  type SimulatorOptions,
} from 'svc-streams/simulator'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { defineTokens } from '../../src/client/tokens.js'
import { eventually } from '../support/time/eventually.js'
import { openRawClient } from '../support/network/raw-client.js'
import { wbtc, weth } from '../support/tokens.js'
import { manualMarket } from '../support/manual-market.js'
import { startTestSimulator } from '../support/simulator.js'
import { collectWarnings } from '../support/warnings.js'
import { compiledUrl, spawnScript } from '../support/process/node-process.js'

const portOf = (url: string) => Number(new URL(url).port)

const rejectionOf = (options: SimulatorOptions): Promise<unknown> =>
  startSimulator(options).then(
    (simulator) => {
      onTestFinished(simulator.close)
      return 'started'
    },
    (error: unknown) => error,
  )

test('startSimulator returns its URLs and its key in the form of client options', async () => {
  const simulator = await startTestSimulator({})
  expect(simulator.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(simulator.priceBaseUrl).toBe(simulator.baseUrl)
  expect(simulator.priceWsUrl).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/)
  expect(Buffer.from(simulator.authKey, 'base64')).toHaveLength(32)
  expect((await startTestSimulator({})).authKey).not.toBe(simulator.authKey)
  expect(simulator.service).toBe('svc')
})

test('startSimulator plays the recorded market by default', async () => {
  const simulator = await startTestSimulator({})
  expect(simulator.tokens).toEqual([
    { address: weth, symbol: 'ETH', decimals: 18 },
    { address: wbtc, symbol: 'BTC', decimals: 8 },
  ])
  const client = await openRawClient(simulator.priceWsUrl)
  client.subscribe(`svc-${wbtc}`)
  expect((await client.firstFrames(2))[1]).toBe(`{"topic":"svc-${wbtc}","price":61685.995}`)
})

test('startSimulator takes the tokens of defineTokens', async () => {
  const { ARB } = defineTokens({ ARB: { address: '0xAB', decimals: 6 } })
  const { tokens } = await startTestSimulator({ tokens: [ARB], tick: 5 })
  expect(tokens).toEqual([{ address: '0xab', symbol: 'ARB', decimals: 6 }])
})

test('startSimulator sends the same prices for the same seed', async () => {
  const prices = async (seed: number) => {
    const { priceWsUrl, close } = await startTestSimulator({ tokens: ['0xAB', '0xcd'], seed, tick: 5 })
    const client = await openRawClient(priceWsUrl)
    client.subscribe('svc-0xab')
    const frames = await client.firstFrames(12)
    await close()
    return frames
  }
  expect(await prices(7)).toEqual(await prices(7))
  expect(await prices(7)).not.toEqual(await prices(8))
})

test('startSimulator uses a random walk of ETH and BTC if only seed or tick is given', async () => {
  const { priceWsUrl, tokens } = await startTestSimulator({ tick: 5 })
  expect(tokens.map(({ symbol }) => symbol)).toEqual(['ETH', 'BTC'])
  const client = await openRawClient(priceWsUrl)
  client.subscribe(`svc-${weth}`)
  const expected: Quote[] = []
  randomWalk({ tokens: [{ address: weth, price: 2682.505 }] }).open((quote) => expected.push(quote))()
  expect((await client.firstFrames(2))[1]).toBe(`{"topic":"svc-${weth}","price":${expected[0]!.price}}`)
})

test('startSimulator combines several markets', async () => {
  const { tokens } = await startTestSimulator({ market: [manualMarket(), randomWalk({ tokens: ['0xab'] })] })
  expect(tokens.map(({ symbol }) => symbol)).toEqual(['ETH', 'BTC', '0xab'])
})

test('close frees the chosen ports before it resolves', async () => {
  const first = await startTestSimulator({})
  const [httpPort, wsPort] = [portOf(first.baseUrl), portOf(first.priceWsUrl)]
  const client = await openRawClient(first.priceWsUrl)
  await first.close()
  expect(await client.waitForClose()).toBe(1001)
  for (let round = 0; round < 3; round++) {
    const again = await startTestSimulator({ httpPort, wsPort })
    expect([portOf(again.baseUrl), portOf(again.priceWsUrl)]).toEqual([httpPort, wsPort])
    // A new connection: the pool of `request` may still contain a closed one of the previous round.
    expect((await request(again.baseUrl, { reset: true })).statusCode).toBe(404)
    expect((await request(again.priceWsUrl.replace('ws', 'http'), { reset: true })).statusCode).toBe(426)
    await openRawClient(again.priceWsUrl)
    await again.close()
  }
})

test('close is idempotent and ends open connections and stalled requests', async () => {
  const simulator = await startTestSimulator({ market: manualMarket(), faults: { stall: true } })
  const client = await openRawClient(simulator.priceWsUrl)
  client.subscribe(`svc-${weth}`)
  const response = fetch(`${simulator.baseUrl}/price/svc-${weth}`).catch(() => 'no response')
  await eventually(() => simulator.requests.length === 1)
  const closing = simulator.close()
  expect(simulator.close()).toBe(closing)
  expect(simulator[Symbol.asyncDispose]()).toBe(closing)
  await closing
  expect(await response).toBe('no response')
  await client.waitForClose()
  expect(simulator.connections).toEqual([])
  await expect(openRawClient(simulator.priceWsUrl)).rejects.toThrow('ECONNREFUSED')
})

test('startSimulator closes the simulator when the signal aborts, and rejects if it aborts before the start completes', async () => {
  const controller = new AbortController()
  const simulator = await startTestSimulator({ signal: controller.signal })
  const client = await openRawClient(simulator.priceWsUrl)
  controller.abort()
  await client.waitForClose()
  await simulator.close()
  await expect(fetch(simulator.baseUrl)).rejects.toThrow(/fetch failed|ECONNREFUSED/)

  const reason = new Error('not today')
  expect(await rejectionOf({ signal: AbortSignal.abort(reason) })).toBe(reason)
  const late = new AbortController()
  const starting = rejectionOf({ signal: late.signal })
  late.abort(reason)
  expect(await starting).toBe(reason)
})

test('startSimulator adds one listener to a signal that many simulators share', async () => {
  const warnings = collectWarnings()
  const controller = new AbortController()
  const simulators = await Promise.all(
    Array.from({ length: 12 }, () => startTestSimulator({ signal: controller.signal })),
  )
  controller.abort()
  for (const simulator of simulators) {
    await simulator.close()
    await expect(fetch(simulator.baseUrl)).rejects.toThrow(/fetch failed|ECONNREFUSED/)
  }
  expect(warnings).not.toContain('MaxListenersExceededWarning')
})

test('startSimulator rejects when a port is in use, and closes the server that already listens', async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  for (const option of ['httpPort', 'wsPort'] as const) {
    const error = await rejectionOf({ [option]: port })
    expect(error).toBeInstanceOf(SimulatorError)
    expect(error).toMatchObject({
      message: `${option}: port ${port} is already in use; choose another one, or 0 for any free port`,
      option,
      cause: { code: 'EADDRINUSE' },
    })
  }
  const { baseUrl, close } = await startTestSimulator({})
  const httpPort = portOf(baseUrl)
  await close()
  await rejectionOf({ httpPort, wsPort: port })
  await startTestSimulator({ httpPort })
})

test('close lets the process exit', async () => {
  const script = `
    import { createRequire } from 'node:module'
    import { startSimulator } from ${JSON.stringify(compiledUrl('src/simulator/index.ts'))}
    const simulator = await startSimulator({ tick: 5, faults: { httpDelay: 600000 } })
    const { WebSocket } = createRequire(${JSON.stringify(import.meta.url)})('ws')
    const socket = new WebSocket(simulator.priceWsUrl)
    socket.on('open', () => socket.send(JSON.stringify({ method: 'subscribe', topic: 'svc-${weth}' })))
    await new Promise((resolve) => socket.once('message', resolve))
    fetch(simulator.baseUrl + '/price/svc-${weth}').catch(() => {})
    const soon = async () => { for (let i = 0; i < 20; i++) await new Promise(setImmediate) }
    while (simulator.requests.length === 0) await soon()
    await soon()
    simulator.inject({ stall: true, drop: { every: 600000 } })
    await simulator.close()
    console.log('closed')
  `
  const child = spawnScript(script)
  expect([await child.waitForExit(), child.stdout, child.stderr]).toEqual([0, 'closed\n', ''])
})
