import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Address, Client } from 'svc-streams'
import type { GatewayOptions } from 'svc-streams/gateway'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRelays } from '../../../src/gateway/coalescing/relays.js'
import type { TextResponse } from '../../../src/gateway/server/http-response.js'
import { currentClock } from '../../../src/base/time/clock.js'
import { depthPath, signedHeaders } from '../../support/network/signed-request.js'
import { authKey, createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const victim: Address = '0xabc'
const quietKey = 'BBECAwQF'
const pipelined = 16

/** A gateway whose client has one request at a time, which the simulator answers once `answer` is called. */
const start = async (options: GatewayOptions = {}) => {
  const simulator = await startTestSimulator()
  const client = createClientFor(simulator, { maxConcurrentRequests: 1 })
  const { baseUrl } = await startTestGateway(client, options)
  simulator.inject({ stall: true })
  const received = (): readonly string[] => simulator.requests.map(({ path }) => path)
  return { baseUrl, received, answer: () => simulator.inject({}) }
}

let mints = 0

/** Opens a connection, and requests as many depths over it as the gateway allows, each of another mint. */
const requestMany = async (baseUrl: string): Promise<Socket> => {
  const { hostname, port, host } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'connect')
  const paths = Array.from({ length: pipelined }, () => depthPath(`0x${(++mints + 0x1000).toString(16)}`))
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join(''))
  return socket
}

/** The gateway has read what had arrived at its sockets before. */
const settle = async (baseUrl: string): Promise<void> => {
  for (let count = 0; count < 3; count++) await fetch(`${baseUrl}/health`)
}

describe('depth requests of consumers that have left', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['reset their connection', (socket) => socket.resetAndDestroy()],
    ['close their connection', (socket) => socket.destroy()],
    ['close one direction of their connection', (socket) => socket.end()],
  ])('are not sent if the consumers %s', async (_, leave) => {
    const { baseUrl, received, answer } = await start()
    const sockets = await Promise.all(Array.from({ length: 20 }, () => requestMany(baseUrl)))
    await eventually(() => received().length === 1)
    await settle(baseUrl)
    sockets.forEach(leave)
    await settle(baseUrl)
    answer()
    const response = await fetch(baseUrl + depthPath(victim))
    expect(await response.text()).toContain('UnsupportedPair')
    // The first one was sent before the consumers left.
    expect(received()).toEqual([expect.any(String), depthPath(victim)])
  })
})

describe('depth requests of a consumer', () => {
  it.each([1, 30])('wait for one request of each of %d busy connections', async (count) => {
    const { baseUrl, received, answer } = await start()
    await Promise.all(Array.from({ length: count }, () => requestMany(baseUrl)))
    await eventually(() => received().length === 1)
    await settle(baseUrl)
    const response = fetch(baseUrl + depthPath(victim))
    await settle(baseUrl)
    answer()
    expect((await response).status).toBe(500)
    // One was on its way before.
    expect(received().indexOf(depthPath(victim))).toBeLessThanOrEqual(1 + count)
  })

  it('wait for one request of another address, however many connections it has', async () => {
    const { baseUrl, received, answer } = await start()
    await Promise.all(Array.from({ length: 30 }, () => requestMany(baseUrl)))
    await eventually(() => received().length === 1)
    await settle(baseUrl)
    const { hostname, port, host } = new URL(baseUrl)
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' })
    onTestFinished(() => void socket.destroy())
    socket.write(`GET ${depthPath(victim)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await once(socket, 'connect')
    await settle(baseUrl)
    answer()
    await once(socket, 'data')
    // One was on its way before.
    expect(received().indexOf(depthPath(victim))).toBeLessThanOrEqual(2)
  })

  it.each<[string, GatewayOptions, (key: string, path: string) => Record<string, string>]>([
    [
      'key',
      { keys: { busy: authKey, quiet: quietKey } },
      (key, path) => signedHeaders(key, path, Date.now() + 60_000),
    ],
    [
      'access token',
      { access: { tokens: { busy: authKey, quiet: quietKey } } },
      (token) => ({ authorization: `Bearer ${token}` }),
    ],
  ])('wait for one request of a program with another %s, however many connections it has', async (...all) => {
    const [, options, headersOf] = all
    const { baseUrl, received, answer } = await start(options)
    const request = (key: string, mint: string): Promise<Response> => {
      const path = depthPath(mint)
      return fetch(baseUrl + path, { headers: headersOf(key, path) })
    }
    const others = Array.from({ length: 32 }, (_, index) => request(authKey, `0x${0x2000 + index}`))
    await eventually(() => received().length === 1)
    await settle(baseUrl)
    const response = request(quietKey, victim)
    await settle(baseUrl)
    answer()
    expect((await response).status).toBe(500)
    // One was on its way before.
    expect(received().indexOf(depthPath(victim))).toBeLessThanOrEqual(2)
    await Promise.all(others)
  })
})

describe('the queue of requests', () => {
  const unanswered: Client = { ...createTestClient(), depth: () => () => new Promise(() => undefined) }

  it('refuses requests beyond 10 000 with 503 and Retry-After: those of the consumer with the most', () => {
    const relays = createRelays(unanswered, {
      clock: currentClock(),
      report: () => undefined,
      service: 'svc',
      depthEvery: 250,
    })
    const responses: (readonly [string, TextResponse])[] = []
    const request = (consumer: string, mint: number): void => {
      const task = relays.respond({ kind: 'depth', name: `0x${mint.toString(16)}` }, { consumer, group: 'a' })
      task((response) => responses.push([consumer, response]))
    }
    for (let mint = 1; mint <= 10_000; mint++) request('busy', mint)
    expect(responses).toEqual([])
    request('busy', 10_001)
    for (let mint = 1; mint <= 10; mint++) request('other', mint)
    expect(responses).toHaveLength(11)
    for (const [consumer, { status, headers }] of responses) {
      expect(consumer).toBe('busy')
      expect([status, headers['Retry-After']]).toEqual([503, '1'])
    }
    relays.close()
  })
})
