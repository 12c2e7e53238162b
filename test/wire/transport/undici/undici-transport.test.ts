import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { HttpRequest } from '../../../../src/wire/transport/ports.js'
import { undiciTransport } from '../../../../src/wire/transport/undici-transport.js'
import { importUndici } from '../../../../src/wire/transport/undici-package.js'
import { expectDecodeError } from '../../../base/errors/support/well-formed.js'
import { nextTurn } from '../../../support/time/event-loop.js'
import { eventually } from '../../../support/time/eventually.js'
import { createSelfSignedCertificate } from '../../../support/network/certificate.js'
import { findUnusedPort, startHttpServer, startTcpServer } from '../../../support/network/servers.js'
import { expectNetworkError, get, requestOf, send, transportOf, withResolvers } from './support/requests.js'

const respondWith =
  (body: string, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(body)

describe('the result of a request', () => {
  it('has the status, the headers in lower case, and the body', async () => {
    const origin = await startHttpServer((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Trace': ['a', 'b'] }).end('2682.505'),
    )
    expect(await get(origin)).toMatchObject(
      right({
        status: 200,
        headers: {
          'content-type': 'text/plain',
          'x-trace': ['a', 'b'],
          date: expect.stringMatching(/GMT$/) as string,
        },
        body: '2682.505',
      }),
    )
  })

  it.each([201, 204, 400, 401, 404, 429, 500, 503])(
    'is a response with status %i, not an error',
    async (status) => {
      const body = status === 204 ? '' : 'why'
      expect(await get(await startHttpServer(respondWith(body, status)))).toMatchObject(
        right({ status, body }),
      )
    },
  )

  it.each(['gzip', 'br, gzip'])(
    'is a DecodeError that names an encoding that was not requested: %s',
    async (encoding) => {
      const answer = (status: number) =>
        startHttpServer((_request, response) =>
          response.writeHead(status, { 'Content-Encoding': encoding }).end(gzipSync('2682.505')),
        ).then(get)
      const message = `body: expected no content-encoding, got ${encoding}`
      expect(await answer(200)).toMatchObject(left({ _tag: 'DecodeError', message }))
      expect(await answer(429)).toMatchObject(right({ status: 429, body: message }))
    },
  )

  it('has the body of a response that names the encoding identity', async () => {
    const origin = await startHttpServer((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'Identity' }).end('2682.505'),
    )
    expect(await get(origin)).toMatchObject(right({ body: '2682.505' }))
  })

  it('contains all pieces of the body, including split characters', async () => {
    const bytes = Buffer.from('{"a":"é😀"}')
    const origin = await startHttpServer((_request, response) => {
      const write = (at: number): void => {
        if (at === bytes.length) response.end()
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(write, at + 1))
      }
      write(0)
    })
    expect(await get(origin)).toMatchObject(right({ body: '{"a":"é😀"}' }))
  })

  it.each(['HTTP/1.0 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK\r\nConnection: close'])(
    'is a NetworkError if the connection is reset within a body without a length, after %j',
    async (head) => {
      const decoded = vi.spyOn(Buffer.prototype, 'toString')
      onTestFinished(() => decoded.mockRestore())
      const port = await startTcpServer((socket) => {
        socket.once('data', () => {
          socket.write(`${head}\r\n\r\n25`)
          const isRead = eventually(() => expect(decoded).toHaveReturnedWith('25'))
          void isRead.then(() => socket.resetAndDestroy())
        })
      })
      expectNetworkError(await get(`http://127.0.0.1:${port}`), /^ECONNRESET$/)
    },
  )

  it('is the redirect itself, which is not followed', async () => {
    const paths: (string | undefined)[] = []
    const origin = await startHttpServer((request, response) => {
      paths.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await get(origin)).toMatchObject(right({ status: 307, headers: { location: '/elsewhere' } }))
    expect(paths).toEqual(['/'])
  })
})

describe('a request', () => {
  it('is a GET of the unchanged path and query, with the headers, without a body', async () => {
    const requests: IncomingMessage[] = []
    const origin = await startHttpServer((request, response) => {
      requests.push(request)
      response.end()
    })
    await get(origin, {
      path: '//v0/a%20b/0xAB?q=1&r=%2F',
      headers: { 'x-svc-auth': 'A+/b', 'X-Svc-B': '1' },
    })
    expect(requests).toMatchObject([
      {
        method: 'GET',
        url: '//v0/a%20b/0xAB?q=1&r=%2F',
        headers: { 'x-svc-auth': 'A+/b', 'x-svc-b': '1' },
      },
    ])
    expect(requests[0]?.headers).not.toHaveProperty('content-length')
    expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  it('reuses the connection of the previous request', async () => {
    const ports = new Set<number | undefined>()
    const origin = await startHttpServer((request, response) => {
      ports.add(request.socket.remotePort)
      response.end('ok')
    })
    const transport = transportOf()
    for (let i = 0; i < 3; i++) {
      expect(isRight(await send(transport, requestOf(origin)).result)).toBe(true)
      // The connection can be reused one turn of the event loop after the end of its response.
      await nextTurn()
    }
    expect(ports.size).toBe(1)
  })

  it('is sent while other requests are pending', async () => {
    const responses: ServerResponse[] = []
    const origin = await startHttpServer((_request, response) => {
      responses.push(response)
      if (responses.length === 20) for (const each of responses) each.end('ok')
    })
    const transport = transportOf()
    const results = await Promise.all(
      Array.from({ length: 20 }, () => send(transport, requestOf(origin)).result),
    )
    expect(results.filter(isLeft)).toEqual([])
  })
})

describe('maxBodyBytes', () => {
  it('accepts a body of exactly that size, and rejects a longer one', async () => {
    const origin = await startHttpServer(respondWith('é'.repeat(50)))
    expect(await get(origin, { maxBodyBytes: 100 })).toMatchObject(right({ body: 'é'.repeat(50) }))
    const result = await get(origin, { maxBodyBytes: 99 })
    if (!isLeft(result) || result.left._tag !== 'DecodeError') return expect.unreachable()
    expect(result.left.message).toBe('body: expected at most 99 bytes, got more')
    expectDecodeError(result.left, 'é'.repeat(50))
  })

  it('closes the connection of an endless body', async () => {
    const closed: Promise<unknown>[] = []
    const origin = await startHttpServer((_request, response) => {
      closed.push(once(response, 'close'))
      const writeMore = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', writeMore)
      writeMore()
    })
    const result = await get(origin, { maxBodyBytes: 50_000 })
    if (!isLeft(result) || result.left._tag !== 'DecodeError') return expect.unreachable()
    expect(result.left.issues).toEqual([{ path: '', expected: 'at most 50000 bytes', actual: 'more' }])
    expect(result.left.input).toBe('x'.repeat(2048))
    expect(closed).toHaveLength(1)
    await Promise.all(closed)
  })
})

describe('a request returns a NetworkError', () => {
  it('if the port has no listener', async () => {
    expectNetworkError(await get(`http://127.0.0.1:${await findUnusedPort()}`), /^ECONNREFUSED$/)
  })

  it('if the host does not exist', async () => {
    expectNetworkError(await get(`http://${'x'.repeat(64)}.invalid`), /^(ENOTFOUND|EAI_AGAIN)$/)
  })

  it('if the connection is reset', async () => {
    const port = await startTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expectNetworkError(await get(`http://127.0.0.1:${port}`), /^ECONNRESET$/)
  })

  it('if the connection is closed before the response', async () => {
    const port = await startTcpServer((socket) => socket.once('data', () => socket.end()))
    expectNetworkError(await get(`http://127.0.0.1:${port}`), /^UND_ERR_SOCKET$/)
  })

  it('if the connection is closed during the response', async () => {
    const part = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'
    const port = await startTcpServer((socket) => socket.once('data', () => socket.end(part)))
    expectNetworkError(await get(`http://127.0.0.1:${port}`), /^UND_ERR_/)
  })

  it('if the response is not HTTP', async () => {
    const port = await startTcpServer((socket) =>
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')),
    )
    expectNetworkError(await get(`http://127.0.0.1:${port}`), /^HTTPParserError$/)
  })

  it('if the connection takes longer than connectTimeout', async () => {
    const port = await startTcpServer(() => undefined)
    const transport = transportOf({ connectTimeout: 50 })
    const result = await send(transport, requestOf(`https://127.0.0.1:${port}`)).result
    expectNetworkError(result, /^UND_ERR_CONNECT_TIMEOUT$/)
    expect(result).toMatchObject({ left: { message: expect.stringContaining('timeout: 50ms') as string } })
  })

  it.each<[string, Partial<HttpRequest>]>([
    ['path', { path: 'no slash' }],
    ['header name', { headers: { 'x svc': 'signature' } }],
    ['header value', { headers: { 'x-svc-auth': 'signature\r\n' } }],
  ])('without the headers if the %s is invalid', async (_what, rest) => {
    const result = await get(await startHttpServer(respondWith('ok')), rest)
    expectNetworkError(result, /^(UND_ERR_|TypeError)/)
    expect(JSON.stringify(result)).not.toContain('signature')
  })
})

describe('abort', () => {
  it('closes the connection of a request without a response', async () => {
    const arrived = withResolvers<readonly Promise<unknown>[]>()
    const origin = await startHttpServer((_request, response) => arrived.resolve([once(response, 'close')]))
    const { result, abort } = send(transportOf(), requestOf(origin))
    const [closed] = await arrived.promise
    abort()
    expect(isLeft(await result)).toBe(true)
    await closed
  })

  it('ends a request during its response', async () => {
    const written = withResolvers<true>()
    const origin = await startHttpServer((_request, response) => {
      response.on('close', () => response.destroy())
      response.write('half', () => written.resolve(true))
    })
    const { result, abort } = send(transportOf(), requestOf(origin))
    await written.promise
    abort()
    expect(isLeft(await result)).toBe(true)
  })

  it('prevents a request that was not sent yet', async () => {
    const onRequest = vi.fn<RequestListener>((_request, response) => response.end())
    const origin = await startHttpServer(onRequest)
    const { result, abort } = send(transportOf(), requestOf(origin))
    abort()
    expect(isLeft(await result)).toBe(true)
    expect(isRight(await get(origin))).toBe(true)
    expect(onRequest).toHaveBeenCalledTimes(1)
  })
})

describe('close()', () => {
  it('ends pending requests and all connections, and rejects later requests', async () => {
    const sockets = new Set<IncomingMessage['socket']>()
    const transport = transportOf()
    const arrived: string[] = []
    const origin = await startHttpServer((request, response) => {
      sockets.add(request.socket)
      arrived.push(request.url ?? '')
      if (request.url === '/quick') response.end()
    })
    await send(transport, requestOf(origin, { path: '/quick' })).result
    const pending = [send(transport, requestOf(origin)).result, send(transport, requestOf(origin)).result]
    await eventually(() => expect(arrived).toEqual(['/quick', '/', '/']))
    await transport.close()
    for (const result of await Promise.all(pending)) expectNetworkError(result, /^UND_ERR_DESTROYED$/)
    await eventually(() => expect([...sockets].filter((socket) => !socket.destroyed)).toEqual([]))
    expectNetworkError(await send(transport, requestOf(origin)).result, /^UND_ERR_DESTROYED$/)
  })

  it('may be called without requests', async () => {
    await expect(
      undiciTransport(await importUndici(), {
        ca: undefined,
        connectTimeout: 1,
      }).close(),
    ).resolves.not.toThrow()
  })
})

describe('an https: request', () => {
  const certificate = createSelfSignedCertificate()

  it('rejects an untrusted certificate', async () => {
    expectNetworkError(
      await get(await startHttpServer(respondWith('ok'), certificate)),
      /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    )
  })

  it('accepts a certificate that ca trusts', async () => {
    const transport = transportOf({ ca: certificate.cert })
    const origin = await startHttpServer(respondWith('private'), certificate)
    expect(await send(transport, requestOf(origin)).result).toMatchObject(
      right({ status: 200, body: 'private' }),
    )
  })

  it('rejects a certificate that ca does not trust', async () => {
    const transport = transportOf({ ca: createSelfSignedCertificate().cert })
    const result = await send(transport, requestOf(await startHttpServer(respondWith('ok'), certificate)))
      .result
    expectNetworkError(result, /CERT|SIGNATURE/)
  })
})
