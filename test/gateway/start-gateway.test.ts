import { generateKeyPairSync } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { inspect } from 'node:util'
import { isRight } from 'fp-ts/lib/Either.js'
import { defer, NEVER } from 'rxjs'
import { createClient } from 'svc-streams'
import { GatewayError, startGateway, type GatewayOptions } from 'svc-streams/gateway'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { addressesOf } from '../../src/gateway/http/addresses.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { createSelfSignedCertificate } from '../support/network/certificate.js'
import { isListening, startTcpServer } from '../support/network/servers.js'
import { depthPath } from '../support/network/signed-request.js'
import { spawnScript } from '../support/process/node-process.js'
import { authKey, createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'
import { connect as connectConsumer } from './support/raw-consumer.js'
import { startTestGateway } from './support/start-test-gateway.js'

const portOf = (url: string): number => Number(new URL(url).port)

describe('the addresses', () => {
  it.each([
    ['127.0.0.1', false, 'http://127.0.0.1:80', 'ws://127.0.0.1:80'],
    ['0.0.0.0', false, 'http://127.0.0.1:80', 'ws://127.0.0.1:80'],
    ['::', true, 'https://[::1]:80', 'wss://[::1]:80'],
    ['::1', false, 'http://[::1]:80', 'ws://[::1]:80'],
    ['Localhost', false, 'http://localhost:80', 'ws://localhost:80'],
    ['prices.example', true, 'https://prices.example:80', 'wss://prices.example:80'],
  ])('of the host %s are those that a client connects to', (host, isTls, baseUrl, priceWsUrl) => {
    expect(addressesOf(host, 80, isTls)).toEqual({ baseUrl, priceBaseUrl: baseUrl, priceWsUrl })
  })

  it('are options of a client, which receives depth and price', async () => {
    const gateway = await startTestGateway(createClientFor(await startTestSimulator()))
    const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway, unsigned: true }))
    expect(await consumer.depth(weth)()).toMatchObject({ right: { mint: weth } })
    expect(await consumer.price(ethTopic)()).toMatchObject({ right: { topic: ethTopic } })
    expect(gateway.inspect()).toMatchObject({ connections: 0, topics: [] })
  })

  it('have the port that was asked for', async () => {
    const first = await startTestGateway(createTestClient())
    await first.close()
    const gateway = await startTestGateway(createTestClient(), { port: portOf(first.baseUrl) })
    expect(gateway.baseUrl).toBe(first.baseUrl)
  })

  it('of a gateway on all interfaces reach it', async () => {
    const gateway = await startTestGateway(createTestClient(), { host: '0.0.0.0', openDepth: true })
    expect((await fetch(`${gateway.baseUrl}/health`)).status).toBe(200)
    const external = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)
    if (external === undefined) return
    const url = `http://${external.address}:${portOf(gateway.baseUrl)}/health`
    expect((await fetch(url)).status).toBe(200)
  })
})

describe('keys', () => {
  it('are required of a consumer, and none of them is shown', async () => {
    const simulator = await startTestSimulator()
    const key = 'c29tZSBvdGhlciBrZXkgb2YgYSBjb25zdW1lcg=='
    const gateway = await startTestGateway(createClientFor(simulator), { keys: { one: authKey, two: key } })
    expect(gateway.unsigned).toBe(false)
    const consumerWith = (options: object) =>
      closeAfterTest(
        createClient({
          environment: 'mainnet',
          ...gateway,
          baseUrl: gateway.baseUrl,
          authKey,
          unsigned: false,
          ...options,
        }),
      )
    for (const valid of [authKey, key]) {
      expect(isRight(await consumerWith({ authKey: valid }).depth(weth)())).toBe(true)
    }
    const refused = await consumerWith({ authKey: 'dW5rbm93bg==' }).depth(weth)()
    expect(refused).toMatchObject({ left: { _tag: 'Unauthorized', body: 'Unauthorized' } })
    const texts = [
      JSON.stringify(gateway),
      inspect(gateway, { depth: 10, showHidden: true }),
      JSON.stringify(gateway.inspect()),
      JSON.stringify(refused),
    ]
    for (const text of texts) expect(text).not.toMatch(/c29tZSBv|AAECAwQF/)
  })

  it('that are missing are answered with the text of the service, and a Date by which consumers correct their clocks', async () => {
    const simulator = await startTestSimulator()
    const gateway = await startTestGateway(createClientFor(simulator), { keys: { one: authKey } })
    const response = await fetch(`${gateway.baseUrl}/v0/order_book/depth/${weth}`)
    expect(response.status).toBe(401)
    expect(await response.text()).toBe('Unauthorized')
    expect(Date.parse(response.headers.get('Date') ?? '')).toBeGreaterThan(0)
  })
})

describe('tls', () => {
  it('serves https with the certificate', async () => {
    const simulator = await startTestSimulator()
    const tls = createSelfSignedCertificate()
    const gateway = await startTestGateway(createClientFor(simulator), { tls })
    expect(gateway.baseUrl).toMatch(/^https:/)
    expect(gateway.priceWsUrl).toMatch(/^wss:/)
    const consumer = closeAfterTest(
      createClient({ environment: 'mainnet', ...gateway, unsigned: true, ca: tls.cert }),
    )
    expect(isRight(await consumer.depth(weth)())).toBe(true)
  })
})

describe('the options', () => {
  const messageOf = async (options: object): Promise<string> => {
    try {
      const gateway = await startGateway(createTestClient(), options as GatewayOptions)
      await gateway.close()
      return 'accepted'
    } catch (thrown) {
      return String(thrown)
    }
  }
  const other = createSelfSignedCertificate()
  const createKeyOfOtherType = () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

  it.each([
    [{ prot: 1 }, 'prot: did you mean port?'],
    [{ maxConections: 1 }, 'maxConections: did you mean maxConnections?'],
    [{ tls: { key: other.key, certt: other.cert } }, 'tls.certt: did you mean tls.cert?'],
    [{ port: undefined }, 'port: is undefined; omit the option or set a value'],
    [{ keys: undefined }, 'keys: is undefined; omit the option or set a value'],
    [{ port: 65_536 }, 'port: expected a port from 0 to 65535'],
    [{ host: '' }, 'host: expected a host name or an IP address, without brackets'],
    [{ host: '[::1]' }, 'host: expected a host name or an IP address, without brackets'],
    [{ service: 'a b' }, 'service: expected letters and digits, as in topics and header names'],
    [
      { keys: {} },
      'keys: expected an object of base64 strings, by the names of the keys, with at least one key',
    ],
    [{ keys: { one: 'secret!' } }, 'keys.one: expected a base64 string of at least one byte'],
    [{ keys: { one: undefined } }, 'keys.one: expected a base64 string of at least one byte'],
    [{ keys: { one: { key: 'AAAA' } } }, 'keys.one: expected a base64 string of at least one byte'],
    [{ keys: { one: 'AAAA', '': '$AAAA' } }, 'keys.2: expected a base64 string of at least one byte'],
    [
      { keys: { 'c2VjcmV0IG9mIGEgZGVzaw==': 'desk!' } },
      'keys.1: expected a base64 string of at least one byte',
    ],
    [{ openDepth: 1 }, 'openDepth: expected true or false'],
    [{ tls: { key: 'secret', cert: 'secret' } }, 'tls: expected a private key and its certificate, in PEM'],
    [{ tls: { key: other.key } }, 'tls: expected a private key and its certificate, in PEM'],
    [
      { tls: { ...other, key: createSelfSignedCertificate().key } },
      'tls: expected a private key and its certificate, in PEM',
    ],
    [
      { tls: { ...other, key: createKeyOfOtherType() } },
      'tls: expected a private key and its certificate, in PEM',
    ],
    [
      { origins: 'https://a.example' },
      'origins: expected an array of origins like https://app.example, without a path',
    ],
    [{ origins: ['*'] }, 'origins: expected an array of origins like https://app.example, without a path'],
    [{ origins: ['null'] }, 'origins: expected an array of origins like https://app.example, without a path'],
    [
      { origins: ['https://a.example/'] },
      'origins: expected an array of origins like https://app.example, without a path',
    ],
    [{ maxConnections: 0 }, 'maxConnections: expected a whole number of at least 1'],
    [{ depthEvery: 0 }, 'depthEvery: expected a whole number of ms from 1 to 2147483647'],
    [{ signal: {} }, 'signal: expected an object with the methods addEventListener and removeEventListener'],
    [null as never, 'options: expected an object'],
  ])('%j are rejected', async (options, message) => {
    const received = await messageOf(options)
    expect(received).toBe(`ConfigurationError: ${message}`)
    expect(received).not.toContain('secret')
  })

  it.each([undefined, null, { port: 8080 }])(
    'without a client before them (%j) are rejected',
    async (client) => {
      const thrown = await startGateway(client as never).catch(String)
      expect(thrown).toBe('ConfigurationError: client: expected an object with the methods price$ and price')
    },
  )

  it.each(['0.0.0.0', '::', '10.0.0.5', 'prices.example', '127.0.0.1.example'])(
    'with the host %s need keys, or openDepth: true',
    async (host) => {
      expect(await messageOf({ host })).toMatch(/^ConfigurationError: host: .*keys.*openDepth$/)
      expect(await messageOf({ host, openDepth: false })).toMatch(/^ConfigurationError: host: /)
    },
  )

  it('with a host that other machines can reach and with keys are accepted', async () => {
    expect(await messageOf({ host: '0.0.0.0', keys: { one: authKey } })).toBe('accepted')
  })

  it('may contain the properties of a simulator and of a gateway', async () => {
    const simulator = await startTestSimulator({})
    const gateway = await startTestGateway(createTestClient())
    expect(await messageOf({ ...simulator })).toBe('accepted')
    expect(await messageOf({ ...gateway })).toBe('accepted')
  })

  it('accept a private key and its certificate in one file, with others behind', async () => {
    const file = other.key + other.cert + createSelfSignedCertificate().cert
    expect(await messageOf({ tls: { key: Buffer.from(file), cert: file } })).toBe('accepted')
  })

  it('accept origins of pages and of extensions', async () => {
    const origins = ['https://app.example', 'http://localhost:5173', 'chrome-extension://abcdef']
    expect(await messageOf({ origins })).toBe('accepted')
  })
})

describe('an address that cannot be listened on', () => {
  const listenErrorCode = (host: string): Promise<string> =>
    new Promise((resolve) => {
      const server = createServer().on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code))
      server.listen(0, host)
    })

  it('rejects with a GatewayError for the port in use', async () => {
    const port = await startTcpServer(() => undefined)
    const error = await startGateway(createTestClient(), { port }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({ name: 'GatewayError', option: 'port', cause: { code: 'EADDRINUSE' } })
    expect(String(error)).toBe(
      `GatewayError: port: port ${port} is already in use; choose another one, or 0 for any free port`,
    )
  })

  it('rejects with a GatewayError for a host that is not an address of this machine', async () => {
    const host = '192.0.2.1'
    const error = await startGateway(createTestClient(), { host, openDepth: true }).catch(
      (thrown: unknown) => thrown,
    )
    // EADDRNOTAVAIL on Node and Bun, EINVAL on Deno.
    const code = await listenErrorCode(host)
    expect(error).toMatchObject({ name: 'GatewayError', option: 'host', cause: { code } })
    expect(String(error)).toBe(
      `GatewayError: host: cannot listen on ${host} (${code}); use an address of this machine, such as 127.0.0.1`,
    )
  })

  it('rejects with a GatewayError for a host that has no address', async () => {
    const options = { host: 'no-such-host.invalid', openDepth: true }
    const error = await startGateway(createTestClient(), options).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'GatewayError', option: 'host' })
  })
})

describe('close', () => {
  it('frees the port, is idempotent, and leaves the client open', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const gateway = await startTestGateway(client)
    await fetch(`${gateway.baseUrl}/health`)
    const closed = gateway.close()
    expect(gateway.close()).toBe(closed)
    await closed
    expect(await isListening(portOf(gateway.baseUrl))).toBe(false)
    expect(isRight(await client.depth(weth)())).toBe(true)
  })

  it.each([
    ['that answers the close', () => undefined],
    ['that does not read', (socket: WebSocket) => socket.pause()],
  ])('leaves no connection of a consumer %s', async (_, prepare) => {
    const gateway = await startTestGateway(createClientFor(await startTestSimulator()))
    const socket = new WebSocket(gateway.priceWsUrl)
    onTestFinished(() => socket.terminate())
    await eventually(() => expect(gateway.inspect().connections).toBe(1))
    prepare(socket)
    await gateway.close()
    expect(gateway.inspect().connections).toBe(0)
  })

  it('subscribes to no topic that a consumer requests after the close frame', async () => {
    const requested: string[] = []
    const prices$ = (topic: string) =>
      defer(() => {
        requested.push(topic)
        return NEVER
      })
    const prices = { 'svc-0x1': prices$('svc-0x1'), 'svc-0x2': prices$('svc-0x2') }
    const gateway = await startTestGateway(createTestClient({ prices }))
    const consumer = await connectConsumer(gateway)
    consumer.subscribe('svc-0x1')
    await eventually(() => expect(requested).toEqual(['svc-0x1']))
    // It does not read the close frame.
    consumer.webSocket.pause()
    const closed = gateway.close()
    consumer.subscribe('svc-0x2')
    await closed
    expect(requested).toEqual(['svc-0x1'])
  })

  it('ends the requests in flight', async () => {
    const simulator = await startTestSimulator()
    const gateway = await startTestGateway(createClientFor(simulator))
    simulator.inject({ stall: true })
    const request = fetch(`${gateway.baseUrl}/v0/order_book/depth/${weth}`).catch(() => 'ended')
    await eventually(() => simulator.requests.length === 1)
    await gateway.close()
    expect(await request).toBe('ended')
  })

  it('lets the process exit, whatever waits for its turn', async () => {
    const script = `
      import { startGateway } from 'svc-streams/gateway'
      import { createTestClient, depth } from 'svc-streams/testing'
      const client = { ...createTestClient(), depth: (mint) => async () => ({ _tag: 'Right', right: depth(mint) }) }
      const gateway = await startGateway(client, { depthEvery: 600000 })
      const url = gateway.baseUrl + ${JSON.stringify(depthPath(weth))}
      await (await fetch(url)).text()
      const waiting = fetch(url).catch(() => undefined)
      await (await fetch(gateway.baseUrl + '/health')).text()
      await gateway.close()
      await waiting
      console.log('closed')
    `
    const child = spawnScript(script)
    expect([await child.waitForExit(), child.stdout, child.stderr]).toEqual([0, 'closed\n', ''])
  })

  it('ends connections that have sent no request, and TLS handshakes', async () => {
    const options = [{}, { tls: createSelfSignedCertificate() }]
    for (const each of options) {
      const gateway = await startTestGateway(createTestClient(), each)
      const socket = connect(portOf(gateway.baseUrl), '127.0.0.1')
      const ended = new Promise((resolve) => socket.on('error', resolve).on('close', resolve))
      await new Promise((resolve) => socket.on('connect', resolve))
      socket.write(each === options[0] ? 'GET / HT' : '\x16')
      await gateway.close()
      await ended
    }
  })

  it('runs when the signal aborts', async () => {
    const controller = new AbortController()
    const gateway = await startTestGateway(createTestClient(), { signal: controller.signal })
    controller.abort()
    await eventually(async () => expect(await isListening(portOf(gateway.baseUrl))).toBe(false))
  })

  it('needs one listener for all gateways of a signal', async () => {
    const { signal } = new AbortController()
    const addListener = vi.spyOn(signal, 'addEventListener')
    for (let count = 0; count < 3; count++) await startTestGateway(createTestClient(), { signal })
    expect(addListener).toHaveBeenCalledTimes(1)
  })

  it('is not needed if the signal was aborted before the start', async () => {
    const reason = new Error('stop')
    const start = startGateway(createTestClient(), { signal: AbortSignal.abort(reason) })
    await expect(start).rejects.toBe(reason)
  })

  it('runs at the end of the block of an `await using`', async () => {
    let url = ''
    {
      await using gateway = await startGateway(createTestClient())
      url = gateway.baseUrl
    }
    expect(await isListening(portOf(url))).toBe(false)
  })
})
