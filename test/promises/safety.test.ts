import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { inspect } from 'node:util'
import { isLeft } from 'fp-ts/lib/Either.js'
import {
  ConfigurationError,
  createClient,
  renderError,
  type AnyError,
  type Client,
  type DepthClientOptions,
} from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { createSelfSignedCertificate } from '../support/network/certificate.js'
import { eventually } from '../support/time/eventually.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { ethTopic, weth } from '../support/tokens.js'
import { collectEvents } from '../support/collect-events.js'
import { startHttpServer, startTcpServer, startWebSocketServer } from '../support/network/servers.js'
import { runProgram } from '../support/process/node-process.js'
import { acceptKeyOf, upgradeResponse } from '../support/network/upgrade.js'

/** A key whose standard base64 contains both `+` and `/`. */
const authKey = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index)).toString('base64')

const reconnect = { initialDelay: 5, maxDelay: 5 }

const clientAt = (baseUrl: string, options: Partial<DepthClientOptions> = {}): Client =>
  closeAfterTest(
    createClient({
      environment: 'mainnet',
      baseUrl,
      priceBaseUrl: baseUrl,
      authKey,
      reconnect,
      ...options,
    }),
  )

const side = { total_quantity: 1, total_quantity_usd: 1 }
const depthBody = JSON.stringify({ price: 1, timestamp: 1, buy: side, sell: side })

/** A value in each form that a log can show. */
const shown = (value: unknown): string =>
  [
    inspect(value, { depth: Infinity, showHidden: true, getters: true, maxStringLength: null }),
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each)),
    String(value),
  ].join('\n')

const header = ({ headers }: IncomingMessage, name: string): string => String(headers[name])

describe('the key and the signatures', () => {
  const echo = ({ headers }: IncomingMessage): string => JSON.stringify({ headers, authKey })

  it.each<[string, RequestListener]>([
    ['a 400 response', (request, response) => response.writeHead(400).end(echo(request))],
    ['a 401 response', (request, response) => response.writeHead(401).end(echo(request))],
    [
      'an error text',
      (request, response) => response.writeHead(500).end(`Bad: ${header(request, 'x-svc-auth')}`),
    ],
    ['a 200 response', (request, response) => response.end(echo(request))],
    [
      'a price',
      (request, response) =>
        response.end(depthBody.replace('"price":1', `"price":"${header(request, 'x-svc-auth')}"`)),
    ],
    [
      'a field name',
      (request, response) => response.end(depthBody.replace('"price"', `"${header(request, 'x-svc-auth')}"`)),
    ],
    [
      'a text that the client cuts at 2 kB',
      (request, response) =>
        response.writeHead(500).end(
          header(request, 'x-svc-auth')
            .padStart(2048 + 1, ' ')
            .padEnd(5000),
        ),
    ],
    [
      'a status line',
      (request) =>
        request.socket.end(`HTTP/1.1 500 ${header(request, 'x-svc-auth')}\r\ncontent-length: 0\r\n\r\n`),
    ],
    [
      'a body that is cut at the secret',
      (request, response) =>
        response.end(
          header(request, 'x-svc-auth')
            .padStart(2049)
            .padEnd(2 ** 21),
        ),
    ],
    [
      'a response that is not HTTP',
      (request) => request.socket.end(`${header(request, 'x-svc-auth')}\r\n\r\n`),
    ],
    [
      'a redirect',
      (request, response) =>
        response.writeHead(302, { location: `/${header(request, 'x-svc-auth')}` }).end(echo(request)),
    ],
  ])('are redacted in errors when the service echoes them in %s', async (_as, respond) => {
    const signatures = new Set<string>()
    const baseUrl = await startHttpServer((request, response) => {
      signatures.add(header(request, 'x-svc-auth'))
      respond(request, response)
    })
    const client = clientAt(baseUrl)
    const depth = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(depth.events.length).toBeGreaterThan(4))
    const once = await client.depth(weth)()
    const lefts = [...depth.events, once].filter(isLeft).map(({ left }) => left)
    expect(lefts.length).toBe(depth.events.length + 1)
    const text = shown([lefts, lefts.map((left) => renderError(left)), client, client.inspect()])
    expect(signatures.size).toBeGreaterThan(4)
    for (const secret of [authKey, ...signatures]) {
      expect(text).not.toContain(secret)
      // Also without its last characters, and with JSON escapes.
      expect(text).not.toContain(secret.slice(0, 40))
      expect(text).not.toContain(JSON.stringify(secret.replaceAll('/', '\\/')).slice(1, 40))
    }
  })

  it('are not visible in a client, its snapshot or its events', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const [eth, depth] = [collectEvents(client.price$(ethTopic)), collectEvents(client.depth$(weth, 5))]
    await eventually(() => [eth, depth].forEach(({ values }) => expect(values().length).toBeGreaterThan(2)))
    const signatures = simulator.requests.map(({ headers }) => String(headers['x-svc-auth']))
    const text = shown([client, client.inspect(), client.price$, client.depth$, eth.events, depth.events])
    for (const secret of [simulator.authKey, ...signatures]) expect(text).not.toContain(secret)
  })

  it.each<[string, Partial<DepthClientOptions>]>([
    ['an invalid key', { authKey: `${authKey}!` }],
    ['a URL that contains the key', { baseUrl: `http://${authKey}` }],
    ['the key as URL fragment', { baseUrl: `https://relayer.example/#${authKey}` }],
    ['the key as URL password', { baseUrl: `https://user:${authKey.replaceAll('/', '_')}@relayer.example` }],
    ['the key as service', { service: authKey }],
    ['the key as environment', { environment: authKey as 'mainnet' }],
    ['the key as a number option', { linger: authKey as unknown as number }],
    ['the key as ca', { ca: [authKey] as unknown as string }],
    ['a key with an unencrypted URL', { baseUrl: 'http://relayer.example' }],
    [
      'a canonicalHeaders function that throws the key',
      {
        canonicalHeaders: () => {
          throw new Error(authKey)
        },
      },
    ],
  ])('are not in a ConfigurationError: %s', (_what, options) => {
    const create = (): unknown => clientAt('https://relayer.example', options)
    expect(create).toThrow(ConfigurationError)
    try {
      create()
    } catch (error) {
      const text = shown(error).replace((error as Error).stack ?? '', '') + (error as Error).message
      expect(text).not.toContain(authKey.slice(0, 40))
      expect(text).not.toContain(authKey.replaceAll('/', '_').slice(0, 40))
    }
  })
})

describe('an unencrypted URL of another machine', () => {
  const elsewhere = { baseUrl: 'https://relayer.example', priceBaseUrl: 'https://prices.example' }

  it.each<[keyof typeof elsewhere | 'priceWsUrl', string]>([
    ['baseUrl', 'http://relayer.example'],
    ['priceBaseUrl', 'http://prices.example'],
    ['priceWsUrl', 'ws://prices.example:4000'],
    ['baseUrl', 'http://10.0.0.1'],
    ['baseUrl', 'http://127.0.0.1.example'],
    ['baseUrl', 'http://localhost.example'],
    ['baseUrl', 'http://0.0.0.0'],
    ['baseUrl', 'http://[::2]'],
  ])('is rejected with a key unless allowInsecure is set: %s %s', (option, url) => {
    const options = { environment: 'mainnet' as const, authKey, ...elsewhere, [option]: url }
    expect(() => createClient(options)).toThrow(ConfigurationError)
    expect(() => createClient(options)).toThrow(new RegExp(`^${option}: `))
    expect(() => closeAfterTest(createClient({ ...options, allowInsecure: true }))).not.toThrow()
  })
})

describe('TLS', () => {
  const certificate = createSelfSignedCertificate()

  const startSecure = async (
    options: Partial<DepthClientOptions>,
  ): Promise<{ client: Client; served: () => number }> => {
    let served = 0
    const baseUrl = await startHttpServer(({ url = '' }, response) => {
      served += 1
      response.end(url.startsWith('/price/') ? '1' : depthBody)
    }, certificate)
    const { url: priceWsUrl } = await startWebSocketServer(
      (socket) => {
        served += 1
        socket.on('message', () => socket.send(JSON.stringify({ topic: ethTopic, price: 1 })))
      },
      { certificate },
    )
    return { client: clientAt(baseUrl, { priceWsUrl, ...options }), served: () => served }
  }

  it('verifies certificates: an untrusted one is a Left, and the server receives no request', async () => {
    const { client, served } = await startSecure({})
    const [eth, depth] = [collectEvents(client.price$(ethTopic)), collectEvents(client.depth$(weth, 5))]
    await eventually(() => [eth, depth].forEach(({ tags }) => expect(tags().length).toBeGreaterThan(2)))
    expect(new Set(eth.tags())).toEqual(new Set(['Disconnected']))
    expect(new Set(depth.tags())).toEqual(new Set(['NetworkError']))
    expect(await client.price(ethTopic)()).toMatchObject({ left: { _tag: 'NetworkError' } })
    expect(await client.depth(weth)()).toMatchObject({ left: { _tag: 'NetworkError' } })
    expect(served()).toBe(0)
  })

  it.each([
    ['text', certificate.cert],
    ['bytes', Buffer.from(certificate.cert)],
  ])('trusts the certificates of ca, given as %s', async (_kind, ca) => {
    const { client } = await startSecure({ ca })
    const [eth, depth] = [collectEvents(client.price$(ethTopic)), collectEvents(client.depth$(weth, 5))]
    await eventually(() => [eth, depth].forEach(({ tags }) => expect(tags()[0]).toBe('Right')))
    expect(await client.price(ethTopic)()).toMatchObject({ right: { price: 1 } })
    expect(await client.depth(weth)()).toMatchObject({ right: { price: 1 } })
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is not followed', async (status) => {
    let seen = 0
    const elsewhere = await startHttpServer((_request, response) => {
      seen += 1
      response.end(depthBody)
    })
    const baseUrl = await startHttpServer(({ url = '' }, response) =>
      response.writeHead(status, { location: `${elsewhere}${url}` }).end(),
    )
    const client = clientAt(baseUrl)
    const depth = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(depth.events.length).toBeGreaterThan(3))
    expect(depth.events[0]).toMatchObject({ left: { _tag: 'HttpError', status } })
    expect(await client.price(ethTopic)()).toMatchObject({ left: { _tag: 'HttpError', status } })
    expect(seen).toBe(0)
  })

  it('of an upgrade is not followed', async () => {
    let seen = 0
    const elsewhere = await startWebSocketServer(() => (seen += 1))
    const origin = await startHttpServer((_request, response) => response.end())
    const port = await startTcpServer((socket) =>
      socket.once('data', () =>
        socket.end(`HTTP/1.1 302 Found\r\nLocation: ${elsewhere.url}/\r\nContent-Length: 0\r\n\r\n`),
      ),
    )
    const eth = collectEvents(clientAt(origin, { priceWsUrl: `ws://127.0.0.1:${port}` }).price$(ethTopic))
    await eventually(() => expect(eth.tags().length).toBeGreaterThan(2))
    expect(new Set(eth.tags())).toEqual(new Set(['Disconnected']))
    expect(seen).toBe(0)
  })
})

/** Accepts an upgrade, as a WebSocket server does. */
const accept = (request: Buffer): string => upgradeResponse(acceptKeyOf(request.toString())).toString()

/** Writes the same piece endlessly, as fast as the peer reads. */
const writeEndlessly = (socket: Socket, piece: string | Buffer): void => {
  const chunk = Buffer.concat(new Array<Buffer>(Math.ceil(65_536 / piece.length)).fill(Buffer.from(piece)))
  const more = (): void => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

describe('a peer that streams endlessly', () => {
  const program = 'test/promises/programs/endless-response.ts'
  const ok = 'HTTP/1.1 200 OK\r\n'
  const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
  const frame = (first: number, payload: string): Buffer => {
    const { length } = payload
    const head = length < 126 ? [first, length] : [first, 126, length >> 8, length & 255]
    return Buffer.concat([Buffer.from(head), Buffer.from(payload)])
  }
  const opening = (request: Buffer): string => `${accept(request)}\u0001\u0001x`

  /** Timeout in ms: `soon` where only a deadline can end the stream. */
  const [soon, never] = [300, 600_000]

  it.each<[string, 'depth' | 'price$', string, number, (request: Buffer) => string, string | Buffer]>([
    ['a body', 'depth', 'DecodeError', never, () => `${ok}\r\n`, ' '],
    ['a body in tiny chunks', 'depth', 'DecodeError', never, () => chunked, '1\r\n \r\n'],
    ['a header', 'depth', 'NetworkError', never, () => `${ok}x: `, 'x'],
    ['chunk extensions', 'depth', 'Timeout', soon, () => `${chunked}1`, ';x=x'],
    ['trailers after the body', 'depth', 'NetworkError', never, () => `${chunked}0\r\n`, 'x: x\r\n'],
    ['1xx responses', 'depth', 'Timeout', soon, () => '', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['a header of the upgrade', 'price$', 'Disconnected', never, () => `${ok}x: `, 'x'],
    ['1xx responses to the upgrade', 'price$', 'Disconnected', soon, () => '', 'HTTP/1.1 102 X\r\n\r\n'],
    ['fragments of a frame', 'price$', 'Disconnected', never, opening, frame(0, 'x'.repeat(60_000))],
    ['empty fragments of a frame', 'price$', 'Disconnected', never, opening, frame(0, '')],
    ['pings', 'price$', 'Disconnected', never, accept, frame(0x89, 'x'.repeat(125))],
  ])(
    '%s is disconnected with a typed error and bounded memory',
    async (_what, method, tag, timeoutMs, head, piece) => {
      const port = await startTcpServer((socket) => {
        socket.once('data', (request: Buffer) => {
          socket.pause()
          socket.write(head(request), 'latin1')
          writeEndlessly(socket, piece)
        })
      })
      const printed = await runProgram(program, [method, String(port), String(timeoutMs)])
      const { error, maxMB } = JSON.parse(printed) as { error: AnyError; maxMB: number }
      expect(error).toMatchObject({ _tag: tag })
      expect(maxMB).toBeLessThan(128)
    },
  )
})

describe('property names of Object.prototype', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then']

  /** The properties of the built-in prototypes. */
  const prototypes = (): unknown =>
    [Object, Array, Function, Map].map((each) =>
      Object.entries(Object.getOwnPropertyDescriptors(each.prototype)).map(([name, { value }]) => [
        name,
        value as unknown,
      ]),
    )

  it('in a frame yield no price and change no prototype', async () => {
    const simulator = await startTestSimulator()
    const client = createClientFor(simulator)
    const errors: string[] = []
    client.errors$.subscribe(({ kind }) => errors.push(kind))
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values().length).toBeGreaterThan(0))
    const before = prototypes()
    const polluted = 123456789
    const frames = names.flatMap((name) => [
      `{"topic":"${name}","price":${polluted}}`,
      `{"topic":"svc-${name}","price":${polluted}}`,
      `{"subscriptions":["${name}"]}`,
      `{"${name}":{"topic":"${ethTopic}","price":${polluted}}}`,
      `{"${name}":{"subscriptions":["${ethTopic}"]}}`,
      `{"topic":"${name}","price":${polluted},"${name}":{"polluted":true}}`,
    ])
    for (const frame of frames) simulator.send(frame)
    await eventually(() => expect(errors.length).toBe(frames.length))
    const count = eth.values().length
    await eventually(() => expect(eth.values().length).toBeGreaterThan(count))
    expect(eth.values().map(({ price }) => price)).not.toContain(polluted)
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
    expect(prototypes()).toEqual(before)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(simulator.upgrades).toBe(1)
  })

  it('beside a valid price do not affect it', async () => {
    const simulator = await startTestSimulator()
    const eth = collectEvents(createClientFor(simulator).price$(ethTopic))
    await eventually(() => expect(eth.values().length).toBeGreaterThan(0))
    simulator.send(`{"topic":"${ethTopic}","price":123456789,"__proto__":{"price":5},"toString":1}`)
    await eventually(() => expect(eth.values().map(({ price }) => price)).toContain(123456789))
    expect(Object.keys(eth.values().at(-1)!)).toEqual(['topic', 'price', 'receivedAt', 'epoch'])
  })

  it.each(names)('do not replace a missing field of a depth: %s', async (name) => {
    const bodies = [
      `{"${name}":${depthBody}}`,
      depthBody.replace('"buy":', `"buy":{"${name}":${JSON.stringify(side)}},"other":`),
      `[${depthBody}]`,
    ]
    const respond = (response: ServerResponse, index: number): unknown =>
      response.end(bodies[index] ?? depthBody)
    let requests = 0
    const client = clientAt(await startHttpServer((_request, response) => respond(response, requests++)))
    const before = prototypes()
    const depth = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(depth.values().length).toBeGreaterThan(0))
    expect(depth.tags().slice(0, 4)).toEqual(['DecodeError', 'DecodeError', 'DecodeError', 'Right'])
    expect(prototypes()).toEqual(before)
  })

  it.each(names)('are not a topic or a mint: %s', async (name) => {
    const client = createClientFor(await startTestSimulator())
    expect(collectEvents(client.price$(name as 'svc-0x')).tags()).toEqual(['InvalidTopic'])
    expect(collectEvents(client.price$(`svc-${name}` as 'svc-0x')).tags()).toEqual(['InvalidTopic'])
    expect(collectEvents(client.depth$(name as '0x', 5)).tags()).toEqual(['InvalidMint'])
  })
})
