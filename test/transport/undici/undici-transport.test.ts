import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { HttpAnswer, HttpRequest, HttpTransport } from '../../../src/transport/ports.js'
import { undiciTransport, type UndiciOptions } from '../../../src/transport/undici/undici-transport.js'
import { expectDecodeError, expectWellFormed } from '../../errors/support/well-formed.js'
import { selfSigned } from '../../support/certificate.js'
import { eventually } from '../../support/eventually.js'
import { deafPort, httpServer, tcpServer } from '../support/servers.js'

const transportOf = (options: Partial<UndiciOptions> = {}): HttpTransport => {
  const transport = undiciTransport({ ca: undefined, connectTimeout: 10_000, ...options })
  onTestFinished(() => transport.close())
  return transport
}

const requestOf = (origin: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({
  origin,
  path: '/',
  headers: {},
  maxBodyBytes: 1000,
  ...rest,
})

/** A request, and how it is aborted. */
const ask = (transport: HttpTransport, request: HttpRequest) => {
  let abort: () => void = () => undefined
  const answer = new Promise<HttpAnswer>((resolve) => {
    abort = transport.get(request, resolve)
  })
  return { answer, abort }
}

const get = (origin: string, rest: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
  ask(transportOf(), requestOf(origin, rest)).answer

const withResolvers = <T>() => {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** No answer, for the reason that has this code, or, where it has none, this name. */
const expectNetworkError = (answer: HttpAnswer, reason: RegExp): void => {
  if (!isLeft(answer) || answer.left._tag !== 'NetworkError')
    return expect.unreachable(JSON.stringify(answer))
  expectWellFormed(answer.left)
  expect(answer.left.cause.code ?? answer.left.cause.name).toMatch(reason)
}

const saying =
  (body: string, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(body)

/** A connection is free again one turn of the event loop after the end of its answer. */
const nextTurn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve))

describe('an answer', () => {
  it('is its status, its headers in lower case, and its body', async () => {
    const origin = await httpServer((_request, response) =>
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
    'of status %i is an answer like any other',
    async (status) => {
      const body = status === 204 ? '' : 'why'
      expect(await get(await httpServer(saying(body, status)))).toMatchObject(right({ status, body }))
    },
  )

  it('is whole, in however many pieces it comes, characters cut in two included', async () => {
    const bytes = Buffer.from('{"a":"é😀"}')
    const origin = await httpServer((_request, response) => {
      const write = (at: number): void => {
        if (at === bytes.length) response.end()
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(write, at + 1))
      }
      write(0)
    })
    expect(await get(origin)).toMatchObject(right({ body: '{"a":"é😀"}' }))
  })

  it('is that of a redirect itself: none is followed', async () => {
    const visited: (string | undefined)[] = []
    const origin = await httpServer((request, response) => {
      visited.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await get(origin)).toMatchObject(right({ status: 307, headers: { location: '/elsewhere' } }))
    expect(visited).toEqual(['/'])
  })
})

describe('a request', () => {
  it('is a GET of the path and the query as they are, with the headers, and no body', async () => {
    const seen: IncomingMessage[] = []
    const origin = await httpServer((request, response) => {
      seen.push(request)
      response.end()
    })
    await get(origin, {
      path: '//v0/a%20b/0xAB?q=1&r=%2F',
      headers: { 'x-svc-auth': 'A+/b', 'X-Svc-B': '1' },
    })
    expect(seen).toMatchObject([
      {
        method: 'GET',
        url: '//v0/a%20b/0xAB?q=1&r=%2F',
        headers: { 'x-svc-auth': 'A+/b', 'x-svc-b': '1' },
      },
    ])
    expect(seen[0]?.headers).not.toHaveProperty('content-length')
    expect(seen[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  it('uses the connection of the one before', async () => {
    const ports = new Set<number | undefined>()
    const origin = await httpServer((request, response) => {
      ports.add(request.socket.remotePort)
      response.end('ok')
    })
    const transport = transportOf()
    for (let i = 0; i < 3; i++) {
      expect(isRight(await ask(transport, requestOf(origin)).answer)).toBe(true)
      await nextTurn()
    }
    expect(ports.size).toBe(1)
  })

  it('waits for no other', async () => {
    const waiting: ServerResponse[] = []
    const origin = await httpServer((_request, response) => {
      waiting.push(response)
      if (waiting.length === 20) for (const each of waiting) each.end('ok')
    })
    const transport = transportOf()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(transport, requestOf(origin)).answer),
    )
    expect(answers.filter(isLeft)).toEqual([])
  })
})

describe('maxBodyBytes', () => {
  it('lets a body of just that many bytes through, and none that is longer', async () => {
    const origin = await httpServer(saying('é'.repeat(50)))
    expect(await get(origin, { maxBodyBytes: 100 })).toMatchObject(right({ body: 'é'.repeat(50) }))
    const answer = await get(origin, { maxBodyBytes: 99 })
    if (!isLeft(answer) || answer.left._tag !== 'DecodeError') return expect.unreachable()
    expect(answer.left.message).toBe('body: expected at most 99 bytes, got more')
    expectDecodeError(answer.left, 'é'.repeat(50))
  })

  it('ends a body that never ends, and its connection', async () => {
    const ended: Promise<unknown>[] = []
    const origin = await httpServer((_request, response) => {
      ended.push(once(response, 'close'))
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    const answer = await get(origin, { maxBodyBytes: 50_000 })
    if (!isLeft(answer) || answer.left._tag !== 'DecodeError') return expect.unreachable()
    expect(answer.left.issues).toEqual([{ path: '', expected: 'at most 50000 bytes', actual: 'more' }])
    expect(answer.left.input).toBe('x'.repeat(2048))
    expect(ended).toHaveLength(1)
    await Promise.all(ended)
  })
})

describe('no answer', () => {
  it('because nobody listens', async () => {
    expectNetworkError(await get(`http://127.0.0.1:${await deafPort()}`), /^ECONNREFUSED$/)
  })

  it('because the host does not exist', async () => {
    expectNetworkError(await get(`http://${'x'.repeat(64)}.invalid`), /^(ENOTFOUND|EAI_AGAIN)$/)
  })

  it('because the connection is reset', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expectNetworkError(await get(`http://127.0.0.1:${port}`), /^ECONNRESET$/)
  })

  it('because the connection is closed before the answer', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.end()))
    expectNetworkError(await get(`http://127.0.0.1:${port}`), /^UND_ERR_SOCKET$/)
  })

  it('because the connection is closed in the middle of it', async () => {
    const part = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'
    const port = await tcpServer((socket) => socket.once('data', () => socket.end(part)))
    expectNetworkError(await get(`http://127.0.0.1:${port}`), /^UND_ERR_/)
  })

  it('because what answers speaks no HTTP', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')))
    expectNetworkError(await get(`http://127.0.0.1:${port}`), /^HTTPParserError$/)
  })

  it('because the connection takes longer than connectTimeout', async () => {
    const port = await tcpServer(() => undefined)
    const transport = transportOf({ connectTimeout: 50 })
    const answer = await ask(transport, requestOf(`https://127.0.0.1:${port}`)).answer
    expectNetworkError(answer, /^UND_ERR_CONNECT_TIMEOUT$/)
    expect(answer).toMatchObject({ left: { message: expect.stringContaining('timeout: 50ms') as string } })
  })

  it.each<[string, Partial<HttpRequest>]>([
    ['path', { path: 'no slash' }],
    ['header name', { headers: { 'x svc': 'signature' } }],
    ['header value', { headers: { 'x-svc-auth': 'signature\r\n' } }],
    ['origin', { origin: 'nowhere' }],
  ])('because the %s cannot be sent; and no header is repeated', async (_what, rest) => {
    const answer = await get(await httpServer(saying('ok')), rest)
    expectNetworkError(answer, /^(UND_ERR_|ERR_INVALID_URL)/)
    expect(JSON.stringify(answer)).not.toContain('signature')
  })
})

describe('aborting', () => {
  it('ends a request that waits for its answer, and its connection', async () => {
    const arrived = withResolvers<readonly Promise<unknown>[]>()
    const origin = await httpServer((_request, response) => arrived.resolve([once(response, 'close')]))
    const { answer, abort } = ask(transportOf(), requestOf(origin))
    const [ended] = await arrived.promise
    abort()
    expect(isLeft(await answer)).toBe(true)
    await ended
  })

  it('ends a request in the middle of its answer', async () => {
    const written = withResolvers<true>()
    const origin = await httpServer((_request, response) => {
      response.on('close', () => response.destroy())
      response.write('half', () => written.resolve(true))
    })
    const { answer, abort } = ask(transportOf(), requestOf(origin))
    await written.promise
    abort()
    expect(isLeft(await answer)).toBe(true)
  })

  it('at once sends nothing', async () => {
    const onRequest = vi.fn<RequestListener>((_request, response) => response.end())
    const origin = await httpServer(onRequest)
    const { answer, abort } = ask(transportOf(), requestOf(origin))
    abort()
    expect(isLeft(await answer)).toBe(true)
    expect(isRight(await get(origin))).toBe(true)
    expect(onRequest).toHaveBeenCalledTimes(1)
  })
})

describe('close()', () => {
  it('ends what is under way and every connection; what comes later is no answer', async () => {
    const sockets = new Set<IncomingMessage['socket']>()
    const transport = transportOf()
    const arrived: string[] = []
    const origin = await httpServer((request, response) => {
      sockets.add(request.socket)
      arrived.push(request.url ?? '')
      if (request.url === '/quick') response.end()
    })
    await ask(transport, requestOf(origin, { path: '/quick' })).answer
    const pending = [ask(transport, requestOf(origin)).answer, ask(transport, requestOf(origin)).answer]
    await eventually(() => expect(arrived).toEqual(['/quick', '/', '/']))
    await transport.close()
    for (const answer of await Promise.all(pending)) expectNetworkError(answer, /^UND_ERR_DESTROYED$/)
    await eventually(() => expect([...sockets].filter((socket) => !socket.destroyed)).toEqual([]))
    expectNetworkError(await ask(transport, requestOf(origin)).answer, /^UND_ERR_DESTROYED$/)
  })

  it('may come where nothing was ever asked', async () => {
    await expect(undiciTransport({ ca: undefined, connectTimeout: 1 }).close()).resolves.not.toThrow()
  })
})

describe('https:', () => {
  const certified = selfSigned()

  it('refuses a certificate that nobody vouches for', async () => {
    expectNetworkError(await get(await httpServer(saying('ok'), certified)), /^DEPTH_ZERO_SELF_SIGNED_CERT$/)
  })

  it('accepts it where ca vouches for it', async () => {
    const transport = transportOf({ ca: certified.cert })
    const origin = await httpServer(saying('private'), certified)
    expect(await ask(transport, requestOf(origin)).answer).toMatchObject(
      right({ status: 200, body: 'private' }),
    )
  })

  it('refuses it where ca vouches for another', async () => {
    const transport = transportOf({ ca: selfSigned().cert })
    const answer = await ask(transport, requestOf(await httpServer(saying('ok'), certified))).answer
    expectNetworkError(answer, /CERT|SIGNATURE/)
  })
})
