import { once } from 'node:events'
import { connect } from 'node:net'
import { NEVER, of, Subject } from 'rxjs'
import type { Price } from 'svc-streams'
import type { Gateway } from 'svc-streams/gateway'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSelfSignedCertificate } from '../../support/network/certificate.js'
import { depthPath, signedHeaders } from '../../support/network/signed-request.js'
import { authKey } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { collectWarnings } from '../../support/warnings.js'
import { connect as connectConsumer } from '../support/raw-consumer.js'
import { getRaw, sendRaw } from '../support/raw-request.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const client = createTestClient({
  prices: { [ethTopic]: of(price(ethTopic, 1.5)) },
  depths: { [weth]: of(depth(weth)) },
})

const upgradeLines = [
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

/** An upgrade request with these header lines. */
const upgradeRaw = (gateway: Gateway, lines: readonly string[]) =>
  sendRaw(gateway.baseUrl, requestOf('GET / HTTP/1.1', ...upgradeLines, ...lines))

/** A request with these lines, which asks for an upgrade. */
const requestOf = (requestLine: string, ...lines: readonly string[]): string =>
  [requestLine, 'Connection: Upgrade', ...lines, '', ''].join('\r\n')

describe('the path', () => {
  it.each([
    '/',
    '//',
    '/v0',
    '/v0/order_book/depth',
    '/v0/order_book/depth/',
    `/v0/order_book/depth/${weth}/`,
    `/v0/order_book/depth/${weth}/x`,
    `/v0//order_book/depth/${weth}`,
    `//v0/order_book/depth/${weth}`,
    `/v0/../v0/order_book/depth/${weth}`,
    `/v0/order_book/./depth/${weth}`,
    `/v0%2forder_book/depth/${weth}`,
    `/v0/order_book%2Fdepth/${weth}`,
    `/V0/order_book/depth/${weth}`,
    `/v0/order_book/depth;x/${weth}`,
    `/x/v0/order_book/depth/${weth}`,
    `/price/x/../${ethTopic}`,
    `/price//${ethTopic}`,
    '/price',
    '/health/',
    '/Health',
    '/%68ealth',
    '/..%2f..%2fetc/passwd',
    '/../../etc/passwd',
    '/health#x',
    '/health\\',
  ])('%s is not found', async (target) => {
    const gateway = await startTestGateway(client)
    const { status, text } = await getRaw(gateway.baseUrl, target)
    expect(status).toBe(404)
    expect(text).toMatch(/\r\n\r\nNot Found$/)
  })

  it.each([
    'http://127.0.0.1/health',
    `http://evil.example${depthPath(weth)}`,
    '*',
    'health',
    'evil.example:443',
    '%2fhealth',
    '\\health',
    '/health x',
    '/health\x01',
    '',
  ])('%j, which is no path, has status 400', async (target) => {
    const gateway = await startTestGateway(client)
    expect((await getRaw(gateway.baseUrl, target)).status).toBe(400)
  })

  it('may have a query', async () => {
    const gateway = await startTestGateway(client)
    for (const path of ['/health', depthPath(weth), `/price/${ethTopic}`]) {
      expect((await getRaw(gateway.baseUrl, `${path}?key=1?/x`)).status).toBe(200)
    }
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'])(
    'of a route with the method %s has status 405',
    async (method) => {
      const gateway = await startTestGateway(client)
      const { host } = new URL(gateway.baseUrl)
      for (const path of ['/health', depthPath(weth), `/price/${ethTopic}`]) {
        const { status, text } = await sendRaw(
          gateway.baseUrl,
          `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        )
        expect(status).toBe(405)
        expect(text).toContain('Allow: GET, HEAD, OPTIONS\r\n')
      }
    },
  )

  it.each(['/health', '/health/live', '/tokens', `/price/${ethTopic}`, depthPath(weth), '/nothing'])(
    '%s has the head of GET for HEAD, and a list of methods for OPTIONS',
    async (path) => {
      const gateway = await startTestGateway(client)
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => fetch(gateway.baseUrl + path, { method })),
      )
      expect([head?.status, head?.headers.get('Content-Length')]).toEqual([
        get?.status,
        get?.headers.get('Content-Length'),
      ])
      expect(await head?.text()).toBe('')
      const options = await fetch(gateway.baseUrl + path, { method: 'OPTIONS' })
      expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    },
  )

  it('of a request with two Hosts has status 400', async () => {
    const gateway = await startTestGateway(client)
    const own = `Host: ${new URL(gateway.baseUrl).host}`
    expect((await getRaw(gateway.baseUrl, '/health', [own, own])).status).toBe(400)
    expect((await upgradeRaw(gateway, [own, own])).status).toBe(400)
  })

  it('of a CONNECT request opens no tunnel', async () => {
    const gateway = await startTestGateway(client)
    const { status } = await sendRaw(gateway.baseUrl, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(status).toBe(0)
  })
})

describe('a malformed request', () => {
  it.each([
    ['is no HTTP', 'hello secret-text\r\n\r\n'],
    ['has no Host', 'GET /secret-text HTTP/1.1\r\n\r\n'],
    ['has a header without a name', 'GET /secret-text HTTP/1.1\r\n: x\r\n\r\n'],
    ['has a header of two lines', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nx: a\r\n secret-text\r\n\r\n'],
    [
      'has two lengths',
      'GET /secret-text HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ],
    [
      'has a length and chunks',
      'GET /secret-text HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    [
      'has an unknown transfer coding',
      'GET /secret-text HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked, x\r\n\r\n',
    ],
    ['is HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['is a TLS handshake', '\x16\x03\x01\x02\x00\x01secret-text'],
  ])('that %s has status 400, and is not repeated', async (_, bytes) => {
    const gateway = await startTestGateway(client)
    const { status, text } = await sendRaw(gateway.baseUrl, bytes)
    expect(status).toBe(400)
    expect(text).not.toContain('secret-text')
  })

  it('with headers above the limit has status 431', async () => {
    const gateway = await startTestGateway(client)
    const { status } = await getRaw(gateway.baseUrl, '/health', [`x: ${'a'.repeat(17 * 1024)}`])
    expect(status).toBe(431)
    expect((await getRaw(gateway.baseUrl, `/${'a'.repeat(17 * 1024)}`)).status).toBe(431)
  })

  it.each(['Content-Length: 1', 'Transfer-Encoding: chunked'])(
    'with a body (%s) has status 400, and ends the connection',
    async (framing) => {
      const gateway = await startTestGateway(client)
      const { host } = new URL(gateway.baseUrl)
      const { status, text } = await sendRaw(
        gateway.baseUrl,
        `GET /health HTTP/1.1\r\nHost: ${host}\r\n${framing}\r\n\r\n`,
      )
      expect(status).toBe(400)
      expect(text).toContain('Connection: close\r\n')
    },
  )

  it('does not affect others', async () => {
    const gateway = await startTestGateway(client)
    await sendRaw(gateway.baseUrl, 'x\r\n\r\n')
    expect((await getRaw(gateway.baseUrl, '/health')).status).toBe(200)
  })
})

describe('a malformed upgrade', () => {
  const valid = requestOf('GET / HTTP/1.1', 'Host: 127.0.0.1', ...upgradeLines)
  const altered = (part: string | RegExp, by: string): string => valid.replace(part, by)
  const keyOf = (bytes: number): string => `Sec-WebSocket-Key: ${Buffer.alloc(bytes).toString('base64')}\r\n`
  const key = /Sec-WebSocket-Key.*\r\n/
  const withHeader = (line: string): string => altered(key, `$&${line}\r\n`)

  it.each([
    ['has no key', altered(key, ''), 400],
    ['has a key of 15 bytes', altered(key, keyOf(15)), 400],
    ['has a key of 17 bytes', altered(key, keyOf(17)), 400],
    ['has two keys', altered(key, keyOf(16) + keyOf(16)), 400],
    ['has no version', altered(/Sec-WebSocket-Version.*\r\n/, ''), 400],
    ['has version 12', altered('Version: 13', 'Version: 12'), 400],
    ['has no protocol', altered('Upgrade: websocket', 'Upgrade:').replace('Upgrade', 'Upgrade, close'), 404],
    [
      'has another protocol',
      altered('Upgrade: websocket', 'Upgrade: h2c').replace('Upgrade', 'Upgrade, close'),
      404,
    ],
    ['has another method', altered('GET', 'POST'), 405],
    ['is for another path', altered('/', '/prices'), 404],
    ['is for the path of a depth', altered('/', depthPath(weth)), 404],
    // The server of Bun refuses it itself.
    ['is for an absolute URL', altered('/', 'ws://127.0.0.1/'), [400, 404]],
    ['has a body', `${withHeader('Content-Length: 11')}secret-text`, 400],
    ['has a chunked body', `${withHeader('Transfer-Encoding: chunked')}b\r\nsecret-text\r\n0\r\n\r\n`, 400],
    ['is followed by text', `${valid}secret-text`, 101],
    ['is followed by another one', valid + valid, 101],
  ])('that %s is ended, and does not disturb other consumers', async (_, bytes, status) => {
    const prices = new Subject<Price>()
    const gateway = await startTestGateway(createTestClient({ prices: { [ethTopic]: prices } }))
    const consumer = await connectConsumer(gateway)
    consumer.subscribe(ethTopic)
    await eventually(() => prices.observed)
    const response = await sendRaw(gateway.baseUrl, bytes)
    expect([status].flat()).toContain(response.status)
    expect(response.text).not.toContain('secret-text')
    prices.next(price(ethTopic, 1.5))
    await eventually(() => expect(consumer.frames.join()).toContain('1.5'))
    await eventually(() => expect(gateway.inspect().connections).toBe(1))
    expect(consumer.closed()).toBeUndefined()
  })
})

describe('an offer of another protocol', () => {
  it.each([
    ['that of clients of HTTP/2', ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA']],
    ['one with TLS', ['Upgrade: TLS/1.0']],
  ])('is ignored: %s', async (_, lines) => {
    const gateway = await startTestGateway(client)
    const headers = [
      `Host: ${new URL(gateway.baseUrl).host}`,
      'Connection: Upgrade, HTTP2-Settings',
      ...lines,
    ]
    const offer = ['GET /health HTTP/1.1', ...headers, '', ''].join('\r\n')
    const next = ['GET /tokens HTTP/1.1', headers[0], 'Connection: close', '', ''].join('\r\n')
    const { status, text } = await sendRaw(gateway.baseUrl, offer + next)
    expect(status).toBe(200)
    expect(text).toContain('"status":"up"')
    // The connection goes on with HTTP.
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })

  it('made again and again on one connection adds no listeners', async () => {
    const warnings = collectWarnings()
    const gateway = await startTestGateway(client)
    const offer = requestOf('GET /health HTTP/1.1', 'Host: 127.0.0.1', 'Upgrade: h2c')
    const last = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'
    const { hostname, port } = new URL(gateway.baseUrl)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    for (let count = 0; count < 20; count++) {
      socket.write(count < 19 ? offer : last)
      await once(socket, 'data')
    }
    expect(warnings).toEqual([])
  })

  it('does not hide the body, which is refused', async () => {
    const gateway = await startTestGateway(client)
    const { host } = new URL(gateway.baseUrl)
    const lines = [
      `Host: ${host}`,
      'Connection: Upgrade, close',
      'Upgrade: h2c',
      'Content-Length: 5',
      '',
      'hello',
    ]
    const { status } = await sendRaw(gateway.baseUrl, ['POST /health HTTP/1.1', ...lines].join('\r\n'))
    expect(status).toBe(400)
  })
})

describe('a slow consumer', () => {
  it('that does not complete its headers has status 408 (slow loris)', async () => {
    const limits = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 10 }
    const gateway = await startTestGateway(client, {}, { limits })
    const { hostname, port } = new URL(gateway.baseUrl)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('error', () => undefined)
    socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ')
    // One byte at a time keeps the connection busy.
    const drip = setInterval(() => socket.write('a'), 5)
    onTestFinished(() => clearInterval(drip))
    await eventually(() => socket.destroyed)
    expect(text).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('that completes no TLS handshake is ended', async () => {
    const limits = { headersTimeout: 50 }
    const gateway = await startTestGateway(client, { tls: createSelfSignedCertificate() }, { limits })
    expect(await sendRaw(gateway.baseUrl, '\x16')).toEqual({ status: 0, text: '' })
  })

  it('that sends nothing is ended', async () => {
    const gateway = await startTestGateway(client, {}, { limits: { idleTimeout: 50 } })
    expect((await sendRaw(gateway.baseUrl, '')).text).toBe('')
  })

  it('that holds all sockets gets no more, and delays others until its headers are due', async () => {
    const held = await startTestGateway(client, {}, { limits: { maxSockets: 5 } })
    let refused = 0
    for (let count = 0; count < 50; count++) {
      void sendRaw(held.baseUrl, 'GET / HTTP/1.1\r\n').then(({ status }) => (refused += status === 0 ? 1 : 0))
    }
    await eventually(() => refused === 45)
    expect((await getRaw(held.baseUrl, '/health')).status).toBe(0)

    const limits = { maxSockets: 5, headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 }
    const gateway = await startTestGateway(client, {}, { limits })
    await Promise.all(Array.from({ length: 50 }, () => sendRaw(gateway.baseUrl, 'GET / HTTP/1.1\r\n')))
    expect((await getRaw(gateway.baseUrl, '/health')).status).toBe(200)
  })

  it('that pipelines requests without end has few of them in progress', async () => {
    const asked: string[] = []
    const slowClient = {
      ...client,
      depth: (mint: string) => {
        asked.push(mint)
        return () => new Promise<never>(() => undefined)
      },
    }
    const gateway = await startTestGateway(slowClient)
    const { host } = new URL(gateway.baseUrl)
    const requests = Array.from(
      { length: 1_000 },
      (_, index) => `GET ${depthPath(`0x${index.toString(16)}`)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    )
    void sendRaw(gateway.baseUrl, requests.join(''))
    await eventually(() => asked.length > 0)
    // A later connection is answered after what the first one has sent.
    expect((await getRaw(gateway.baseUrl, '/health')).status).toBe(200)
    expect(asked.length).toBeLessThanOrEqual(20)
  })
})

describe('a consumer that pipelines requests behind one that waits', () => {
  const waiting = `GET ${depthPath(weth)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
  const withBody = 'POST /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\n'
  const filledTo = (length: number, request: string): string =>
    request.replace('\r\n\r\n', `\r\nx: ${'a'.repeat(length - request.length - 5)}\r\n\r\n`)

  it.each([
    ['with an expectation', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: x\r\n\r\n'.repeat(1_000)],
    ['without a Host', 'GET /health HTTP/1.1\r\n\r\n'.repeat(1_000)],
    // A read of the gateway has 256 bytes: each ends before a body.
    ['with a body', filledTo(256, withBody) + `1${filledTo(255, withBody)}`.repeat(200)],
  ])('%s does not end the gateway', async (_, requests) => {
    const gateway = await startTestGateway(createTestClient({ depths: { [weth]: NEVER } }))
    void sendRaw(gateway.baseUrl, filledTo(256, waiting) + requests)
    for (let count = 0; count < 20; count++)
      expect((await getRaw(gateway.baseUrl, '/health')).status).toBe(200)
  })

  it.each([
    ['an upgrade', upgradeLines],
    ['an offer', ['Upgrade: h2c']],
  ])('with %s gets no answer in the wrong order', async (_, lines) => {
    const gateway = await startTestGateway(createTestClient({ depths: { [weth]: NEVER } }))
    const offer = requestOf('GET / HTTP/1.1', 'Host: 127.0.0.1', ...lines)
    expect(await sendRaw(gateway.baseUrl, waiting + offer)).toEqual({ status: 0, text: '' })
    expect(gateway.inspect().connections).toBe(0)
  })
})

describe('a page of another site', () => {
  it.each([['Host: evil.example'], ['Host: evil.example:80', 'Origin: http://evil.example:80']])(
    'that resolves its name to the gateway is refused (DNS rebinding): %s %s',
    async (...lines) => {
      const gateway = await startTestGateway(client)
      for (const path of ['/health', depthPath(weth), '/', '/price/x']) {
        const { status, text } = await getRaw(gateway.baseUrl, path, lines)
        expect(status).toBe(403)
        expect(text).not.toMatch(/evil|Access-Control/)
      }
      const { status, text } = await upgradeRaw(gateway, lines)
      expect(status).toBe(403)
      expect(text).toMatch(/\r\n\r\nForbidden: the Host is not a loopback address$/)
    },
  )

  it.each(['https://evil.example', 'null', 'http://localhost:1', 'file://'])(
    'with the Origin %s is refused',
    async (origin) => {
      const gateway = await startTestGateway(client, { origins: ['https://app.example'] })
      const lines = [`Host: ${new URL(gateway.baseUrl).host}`, `Origin: ${origin}`]
      const { status, text } = await getRaw(gateway.baseUrl, depthPath(weth), lines)
      expect(status).toBe(403)
      expect(text).not.toMatch(/evil|Access-Control/)
      expect((await upgradeRaw(gateway, lines)).status).toBe(403)
    },
  )
})

describe('a page of a listed origin', () => {
  const origin = 'https://app.example'
  const start = () => startTestGateway(client, { origins: [origin], keys: { one: authKey } })
  const hostOf = ({ baseUrl }: Gateway) => `Host: ${new URL(baseUrl).host}`

  it('may read responses, errors included, and the headers that a client needs', async () => {
    const gateway = await start()
    for (const path of ['/health', depthPath(weth), '/nothing']) {
      const { text } = await getRaw(gateway.baseUrl, path, [hostOf(gateway), `Origin: ${origin}`])
      expect(text).toContain(`Access-Control-Allow-Origin: ${origin}\r\n`)
      expect(text).toContain('Access-Control-Expose-Headers: Date, Retry-After\r\n')
      expect(text).toContain('Vary: Origin\r\n')
    }
  })

  it('may send the headers of the service alone', async () => {
    const gateway = await start()
    const requested = 'x-svc-auth, X-SVC-Auth-Expiration,x-other, cookie, x-svc-a(b'
    const { status, text } = await sendRaw(
      gateway.baseUrl,
      [
        `OPTIONS ${depthPath(weth)} HTTP/1.1`,
        hostOf(gateway),
        `Origin: ${origin}`,
        'Access-Control-Request-Method: GET',
        `Access-Control-Request-Headers: ${requested}`,
        'Connection: close',
        '',
        '',
      ].join('\r\n'),
    )
    expect(status).toBe(204)
    expect(text).toContain('Access-Control-Allow-Headers: x-svc-auth, x-svc-auth-expiration\r\n')
    expect(text).toContain('Access-Control-Allow-Methods: GET\r\n')
  })

  it('blocks no other consumer by a long list of headers', async () => {
    const gateway = await start()
    const requestLines = [
      `OPTIONS ${depthPath(weth)} HTTP/1.1`,
      hostOf(gateway),
      `Origin: ${origin}`,
      'Access-Control-Request-Method: GET',
      `Access-Control-Request-Headers: x${' '.repeat(15_000)}y`,
      'Connection: close',
    ]
    const startedAt = performance.now()
    for (let request = 0; request < 10; request++) {
      const { status } = await sendRaw(gateway.baseUrl, [...requestLines, '', ''].join('\r\n'))
      expect(status).toBe(204)
    }
    // In quadratic time, each takes 200 ms.
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })

  it('gives no other page access to the same response', async () => {
    const gateway = await start()
    const { text } = await getRaw(gateway.baseUrl, '/health')
    expect(text).not.toContain('Access-Control')
    expect(text).toContain('Vary: Origin\r\n')
    expect(text).toContain('Cross-Origin-Resource-Policy: same-origin\r\n')
  })
})

describe('a signed request', () => {
  it('is accepted once more until its expiration, and never after it', async () => {
    const gateway = await startTestGateway(client, { keys: { one: authKey } })
    const get = (expiration: number) =>
      fetch(gateway.baseUrl + depthPath(weth), {
        headers: signedHeaders(authKey, depthPath(weth), expiration),
      })
    const expiration = Date.now() + 1_000
    expect((await get(expiration)).status).toBe(200)
    await eventually(() => Date.now() > expiration)
    expect((await get(expiration)).status).toBe(401)
    expect((await get(Date.now() + 6 * 60_000)).status).toBe(401)
  })

  it('is not accepted for another mint, with another query or header', async () => {
    const gateway = await startTestGateway(client, { keys: { one: authKey } })
    const headers = signedHeaders(authKey, depthPath(weth))
    const send = async (path: string, more: Record<string, string> = {}) =>
      (await fetch(gateway.baseUrl + path, { headers: { ...headers, ...more } })).status
    expect(await send(depthPath(weth))).toBe(200)
    expect(await send(depthPath('0xab'))).toBe(401)
    expect(await send(depthPath(weth.toUpperCase().replace('X', 'x')))).toBe(401)
    expect(await send(`${depthPath(weth)}?a=1`)).toBe(401)
    expect(await send(depthPath(weth), { 'x-svc-more': '1' })).toBe(401)
    expect(await send(depthPath(weth), { 'x-other': '1' })).toBe(200)
  })

  it('is needed for depth alone', async () => {
    const gateway = await startTestGateway(client, { keys: { one: authKey } })
    expect((await fetch(gateway.baseUrl + depthPath(weth))).status).toBe(401)
    expect((await fetch(gateway.baseUrl + depthPath('zz'))).status).toBe(401)
    expect((await fetch(`${gateway.baseUrl}/price/${ethTopic}`)).status).toBe(200)
    expect((await fetch(`${gateway.baseUrl}/health`)).status).toBe(200)
  })
})
