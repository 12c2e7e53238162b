import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { inspect, promisify } from 'node:util'
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
import { selfSigned } from '../support/certificate.js'
import { eventually } from '../support/eventually.js'
import { clientOf, closing, ethTopic, record, startService, weth } from '../support/service.js'
import { httpServer, tcpServer, webSocketServer } from '../transport/support/servers.js'

/** A key whose base64 has both of the characters that only base64 has, in its standard spelling. */
const authKey = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index)).toString('base64')

const reconnect = { initialDelay: 5, maxDelay: 5 }

const clientAt = (baseUrl: string, options: Partial<DepthClientOptions> = {}): Client =>
  closing(
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

/** All the ways in which a value may come to be seen. */
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
    ['a failure', (request, response) => response.writeHead(400).end(echo(request))],
    ['an unknown key', (request, response) => response.writeHead(401).end(echo(request))],
    [
      'an error text',
      (request, response) => response.writeHead(500).end(`Bad: ${header(request, 'x-svc-auth')}`),
    ],
    ['a success', (request, response) => response.end(echo(request))],
    [
      'a price',
      (request, response) =>
        response.end(depthBody.replace('"price":1', `"price":"${header(request, 'x-svc-auth')}"`)),
    ],
    [
      'a field of another name',
      (request, response) => response.end(depthBody.replace('"price"', `"${header(request, 'x-svc-auth')}"`)),
    ],
    [
      'a text that is cut at 2 kB',
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
      'what is cut off in its middle',
      (request, response) =>
        response.end(
          header(request, 'x-svc-auth')
            .padStart(2049)
            .padEnd(2 ** 21),
        ),
    ],
    ['what JSON escapes', (request, response) => response.end(echo(request).replaceAll('/', '\\/'))],
    ['gibberish', (request) => request.socket.end(`${header(request, 'x-svc-auth')}\r\n\r\n`)],
    [
      'a redirect',
      (request, response) =>
        response.writeHead(302, { location: `/${header(request, 'x-svc-auth')}` }).end(echo(request)),
    ],
  ])('are in no error, though the service repeats them as %s', async (_as, answer) => {
    const signatures = new Set<string>()
    const baseUrl = await httpServer((request, response) => {
      signatures.add(header(request, 'x-svc-auth'))
      answer(request, response)
    })
    const client = clientAt(baseUrl)
    const depth = record(client.depth$(weth, 1))
    await eventually(() => expect(depth.events.length).toBeGreaterThan(4))
    const once = await client.depth(weth)()
    const lefts = [...depth.events, once].filter(isLeft).map(({ left }) => left)
    expect(lefts.length).toBe(depth.events.length + 1)
    const text = shown([lefts, lefts.map((left) => renderError(left)), client, client.inspect()])
    expect(signatures.size).toBeGreaterThan(4)
    for (const secret of [authKey, ...signatures]) {
      expect(text).not.toContain(secret)
      // Nor all but its last characters, nor as JSON escapes it.
      expect(text).not.toContain(secret.slice(0, 40))
      expect(text).not.toContain(JSON.stringify(secret.replaceAll('/', '\\/')).slice(1, 40))
    }
  })

  it('are in no part of a client, whatever it is doing', async () => {
    const simulator = await startService()
    const client = clientOf(simulator)
    const [eth, depth] = [record(client.price$(ethTopic)), record(client.depth$(weth, 5))]
    await eventually(() => [eth, depth].forEach(({ rights }) => expect(rights().length).toBeGreaterThan(2)))
    const signatures = simulator.requests.map(({ headers }) => String(headers['x-svc-auth']))
    const text = shown([client, client.inspect(), client.price$, client.depth$, eth.events, depth.events])
    for (const secret of [simulator.authKey, ...signatures]) expect(text).not.toContain(secret)
  })

  it.each<[string, Partial<DepthClientOptions>]>([
    ['a bad key', { authKey: `${authKey}!` }],
    ['a bad address with the key in it', { baseUrl: `http://${authKey}` }],
    ['a key for a fragment', { baseUrl: `https://relayer.example/#${authKey}` }],
    ['a key for a password', { baseUrl: `https://user:${authKey.replaceAll('/', '_')}@relayer.example` }],
    ['a key for a service', { service: authKey }],
    ['a key for an environment', { environment: authKey as 'mainnet' }],
    ['a key for a number', { linger: authKey as unknown as number }],
    ['a key for certificates', { ca: [authKey] as unknown as string }],
    ['a key with an address that is not private', { baseUrl: 'http://relayer.example' }],
    [
      'a function that throws the key',
      {
        canonicalHeaders: () => {
          throw new Error(authKey)
        },
      },
    ],
  ])('are in no ConfigurationError: %s', (_what, options) => {
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

describe('a connection that is not private', () => {
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
  ])('is refused where there is a key, for %s, and allowed on request: %s', (option, url) => {
    const options = { environment: 'mainnet' as const, authKey, ...elsewhere, [option]: url }
    expect(() => createClient(options)).toThrow(ConfigurationError)
    expect(() => createClient(options)).toThrow(new RegExp(`^${option}: `))
    expect(() => closing(createClient({ ...options, allowInsecure: true }))).not.toThrow()
  })
})

describe('TLS', () => {
  const certified = selfSigned()

  const startSecure = async (
    options: Partial<DepthClientOptions>,
  ): Promise<{ client: Client; served: () => number }> => {
    let served = 0
    const baseUrl = await httpServer(({ url = '' }, response) => {
      served += 1
      response.end(url.startsWith('/price/') ? '1' : depthBody)
    }, certified)
    const { url: priceWsUrl } = await webSocketServer((socket) => {
      served += 1
      socket.on('message', () => socket.send(JSON.stringify({ topic: ethTopic, price: 1 })))
    }, certified)
    return { client: clientAt(baseUrl, { priceWsUrl, ...options }), served: () => served }
  }

  it('is verified: what nobody vouches for is a Left everywhere, and is sent nothing', async () => {
    const { client, served } = await startSecure({})
    const [eth, depth] = [record(client.price$(ethTopic)), record(client.depth$(weth, 5))]
    await eventually(() => [eth, depth].forEach(({ tags }) => expect(tags().length).toBeGreaterThan(2)))
    expect(new Set(eth.tags())).toEqual(new Set(['Disconnected']))
    expect(new Set(depth.tags())).toEqual(new Set(['NetworkError']))
    expect(await client.price(ethTopic)()).toMatchObject({ left: { _tag: 'NetworkError' } })
    expect(await client.depth(weth)()).toMatchObject({ left: { _tag: 'NetworkError' } })
    expect(served()).toBe(0)
  })

  it.each([
    ['a text', certified.cert],
    ['bytes', Buffer.from(certified.cert)],
  ])('trusts what ca vouches for, everywhere: ca as %s', async (_kind, ca) => {
    const { client } = await startSecure({ ca })
    const [eth, depth] = [record(client.price$(ethTopic)), record(client.depth$(weth, 5))]
    await eventually(() => [eth, depth].forEach(({ tags }) => expect(tags()[0]).toBe('Right')))
    expect(await client.price(ethTopic)()).toMatchObject({ right: { price: 1 } })
    expect(await client.depth(weth)()).toMatchObject({ right: { price: 1 } })
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i takes no signature anywhere', async (status) => {
    let seen = 0
    const elsewhere = await httpServer((_request, response) => {
      seen += 1
      response.end(depthBody)
    })
    const baseUrl = await httpServer(({ url = '' }, response) =>
      response.writeHead(status, { location: `${elsewhere}${url}` }).end(),
    )
    const client = clientAt(baseUrl)
    const depth = record(client.depth$(weth, 1))
    await eventually(() => expect(depth.events.length).toBeGreaterThan(3))
    expect(depth.events[0]).toMatchObject({ left: { _tag: 'HttpError', status } })
    expect(await client.price(ethTopic)()).toMatchObject({ left: { _tag: 'HttpError', status } })
    expect(seen).toBe(0)
  })

  it('of the upgrade is not followed either', async () => {
    let seen = 0
    const elsewhere = await webSocketServer(() => (seen += 1))
    const origin = await httpServer((_request, response) => response.end())
    const port = await tcpServer((socket) =>
      socket.once('data', () =>
        socket.end(`HTTP/1.1 302 Found\r\nLocation: ${elsewhere.url}/\r\nContent-Length: 0\r\n\r\n`),
      ),
    )
    const eth = record(clientAt(origin, { priceWsUrl: `ws://127.0.0.1:${port}` }).price$(ethTopic))
    await eventually(() => expect(eth.tags().length).toBeGreaterThan(2))
    expect(new Set(eth.tags())).toEqual(new Set(['Disconnected']))
    expect(seen).toBe(0)
  })
})

/** Says yes to an upgrade, as a WebSocket server does. */
const accept = (request: Buffer): string => {
  const key = /sec-websocket-key: (.*)\r\n/i.exec(request.toString())?.[1] ?? ''
  const answer = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  return [...head, `Sec-WebSocket-Accept: ${answer}`, '', ''].join('\r\n')
}

/** Writes the same for ever, as fast as it is taken. */
const pour = (socket: Socket, piece: string | Buffer): void => {
  const chunk = Buffer.concat(new Array<Buffer>(Math.ceil(65_536 / piece.length)).fill(Buffer.from(piece)))
  const more = (): void => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

describe('a peer that streams for ever is cut off, with a typed error and without filling the memory:', () => {
  const program = fileURLToPath(new URL('programs/drinks.ts', import.meta.url))
  const ok = 'HTTP/1.1 200 OK\r\n'
  const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
  const frame = (first: number, payload: string): Buffer => {
    const { length } = payload
    const head = length < 126 ? [first, length] : [first, 126, length >> 8, length & 255]
    return Buffer.concat([Buffer.from(head), Buffer.from(payload)])
  }
  const opening = (request: Buffer): string => `${accept(request)}\u0001\u0001x`

  /** Where only a deadline can tell that enough is enough. */
  const [soon, never] = [300, 600_000]

  it.each<[string, 'depth' | 'price$', string, number, (request: Buffer) => string, string | Buffer]>([
    ['a body', 'depth', 'DecodeError', never, () => `${ok}\r\n`, ' '],
    ['a body in tiny chunks', 'depth', 'DecodeError', never, () => chunked, '1\r\n \r\n'],
    ['a header', 'depth', 'NetworkError', never, () => `${ok}x: `, 'x'],
    ['headers of a chunk', 'depth', 'Timeout', soon, () => `${chunked}1`, ';x=x'],
    ['headers behind the body', 'depth', 'NetworkError', never, () => `${chunked}0\r\n`, 'x: x\r\n'],
    ['answers to come', 'depth', 'Timeout', soon, () => '', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['a header of the upgrade', 'price$', 'Disconnected', never, () => `${ok}x: `, 'x'],
    ['answers to come of the upgrade', 'price$', 'Disconnected', soon, () => '', 'HTTP/1.1 102 X\r\n\r\n'],
    ['a frame in pieces', 'price$', 'Disconnected', never, opening, frame(0, 'x'.repeat(60_000))],
    ['a frame in empty pieces', 'price$', 'Disconnected', never, opening, frame(0, '')],
    ['pings', 'price$', 'Disconnected', never, accept, frame(0x89, 'x'.repeat(125))],
  ])('%s', async (_what, ask, tag, patience, head, piece) => {
    const port = await tcpServer((socket) => {
      socket.once('data', (request: Buffer) => {
        socket.pause()
        socket.write(head(request), 'latin1')
        pour(socket, piece)
      })
    })
    const args = ['--import', 'tsx', program, ask, String(port), String(patience)]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 25_000 })
    const { error, mostMB } = JSON.parse(stdout) as { error: AnyError; mostMB: number }
    expect(error).toMatchObject({ _tag: tag })
    expect(mostMB).toBeLessThan(48)
  })
})

describe('names that JavaScript has a meaning for', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then']

  /** What all objects have. */
  const prototypes = (): unknown =>
    [Object, Array, Function, Map].map((each) =>
      Object.entries(Object.getOwnPropertyDescriptors(each.prototype)).map(([name, { value }]) => [
        name,
        value as unknown,
      ]),
    )

  it('reach nobody as a price, and change nothing', async () => {
    const simulator = await startService()
    const client = clientOf(simulator)
    const errors: string[] = []
    client.errors$.subscribe(({ kind }) => errors.push(kind))
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights().length).toBeGreaterThan(0))
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
    const count = eth.rights().length
    await eventually(() => expect(eth.rights().length).toBeGreaterThan(count))
    expect(eth.rights().map(({ price }) => price)).not.toContain(polluted)
    expect(new Set(eth.tags())).toEqual(new Set(['Right']))
    expect(prototypes()).toEqual(before)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(simulator.upgrades).toBe(1)
  })

  it('are a price like any other where they stand beside it', async () => {
    const simulator = await startService()
    const eth = record(clientOf(simulator).price$(ethTopic))
    await eventually(() => expect(eth.rights().length).toBeGreaterThan(0))
    simulator.send(`{"topic":"${ethTopic}","price":123456789,"__proto__":{"price":5},"toString":1}`)
    await eventually(() => expect(eth.rights().map(({ price }) => price)).toContain(123456789))
    expect(Object.keys(eth.rights().at(-1)!)).toEqual(['topic', 'price', 'receivedAt', 'epoch'])
  })

  it.each(names)('in a depth do not stand for what is missing: %s', async (name) => {
    const bodies = [
      `{"${name}":${depthBody}}`,
      depthBody.replace('"buy":', `"buy":{"${name}":${JSON.stringify(side)}},"other":`),
      `[${depthBody}]`,
    ]
    const answer = (response: ServerResponse, index: number): unknown =>
      response.end(bodies[index] ?? depthBody)
    let requests = 0
    const client = clientAt(await httpServer((_request, response) => answer(response, requests++)))
    const before = prototypes()
    const depth = record(client.depth$(weth, 1))
    await eventually(() => expect(depth.rights().length).toBeGreaterThan(0))
    expect(depth.tags().slice(0, 4)).toEqual(['DecodeError', 'DecodeError', 'DecodeError', 'Right'])
    expect(prototypes()).toEqual(before)
  })

  it.each(names)('are no topic and no mint: %s', async (name) => {
    const client = clientOf(await startService())
    expect(record(client.price$(name as 'svc-0x')).tags()).toEqual(['InvalidTopic'])
    expect(record(client.price$(`svc-${name}` as 'svc-0x')).tags()).toEqual(['InvalidTopic'])
    expect(record(client.depth$(name as '0x', 5)).tags()).toEqual(['InvalidMint'])
  })
})
