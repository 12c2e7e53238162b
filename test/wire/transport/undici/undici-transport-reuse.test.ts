import type { Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { HttpResult, HttpRequest, HttpTransport } from '../../../../src/wire/transport/ports.js'
import { createSelfSignedCertificate } from '../../../support/network/certificate.js'
import { startTcpServer } from '../../../support/network/servers.js'
import { nextTurn } from '../../../support/time/event-loop.js'
import { eventually } from '../../../support/time/eventually.js'
import { requestOf, transportOf } from './support/requests.js'

const response = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Handles the second and each further request of a connection. */
type OnReuse = (socket: Socket) => void

/** Answers the first request of a connection. */
const handleConnection =
  (onReuse: OnReuse) =>
  (socket: Socket): void => {
    let requests = 0
    socket.on('data', () => {
      requests += 1
      if (requests === 1) socket.write(response)
      else onReuse(socket)
    })
  }

const startServer = async (onReuse: OnReuse): Promise<string> =>
  `http://127.0.0.1:${await startTcpServer(handleConnection(onReuse))}`

interface Outcome {
  readonly result: HttpResult
  readonly mayRepeat: boolean
}

const outcomeOf = (
  transport: HttpTransport,
  origin: string,
  rest: Partial<HttpRequest> = {},
): Promise<Outcome> =>
  new Promise((resolve) => {
    transport.get(requestOf(origin, rest), (result, mayRepeat = false) => resolve({ result, mayRepeat }))
  })

/** Sends a request that succeeds, so that its connection can be reused. */
const warmUp = async (transport: HttpTransport, origin: string): Promise<void> => {
  expect(isRight((await outcomeOf(transport, origin)).result)).toBe(true)
  await nextTurn()
}

const reset: OnReuse = (socket) => socket.resetAndDestroy()
const end: OnReuse = (socket) => socket.end()

describe('a request on a reused connection may be repeated', () => {
  it.each([
    ['ends', end],
    ['is reset', reset],
    ['is destroyed', (socket: Socket) => socket.destroy()],
  ])('if the connection %s before any byte of the response', async (_what, onReuse) => {
    const transport = transportOf()
    const origin = await startServer(onReuse)
    await warmUp(transport, origin)
    const { result, mayRepeat } = await outcomeOf(transport, origin)
    expect(result).toMatchObject({ left: { _tag: 'NetworkError' } })
    expect(mayRepeat).toBe(true)
  })

  it.each([
    ['ends', end],
    ['is reset', (socket: Socket) => socket.destroy()],
  ])('if a TLS connection %s before any byte of the response', async (_what, onReuse) => {
    const certificate = createSelfSignedCertificate()
    const server = createTlsServer(certificate, (socket) => {
      socket.on('error', () => socket.destroy())
      handleConnection(onReuse)(socket)
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const transport = transportOf({ ca: certificate.cert })
    await warmUp(transport, `https://127.0.0.1:${port}`)
    const { result, mayRepeat } = await outcomeOf(transport, `https://127.0.0.1:${port}`)
    expect(result).toMatchObject({ left: { _tag: 'NetworkError' } })
    expect(mayRepeat).toBe(true)
  })

  it('or succeeds if the connection closed while it was idle', async () => {
    for (const close of [end, reset]) {
      const sockets: Socket[] = []
      const port = await startTcpServer((socket) => {
        sockets.push(socket)
        socket.on('data', () => socket.write(response))
      })
      const transport = transportOf()
      const origin = `http://127.0.0.1:${port}`
      for (let turns = 0; turns < 5; turns++) {
        await warmUp(transport, origin)
        sockets.splice(0).forEach(close)
        // The closing is at each stage of its way to the client: sent, received, handled.
        for (let turn = 0; turn < turns; turn++) await nextTurn()
        const { result, mayRepeat } = await outcomeOf(transport, origin)
        expect(isRight(result) || mayRepeat).toBe(true)
        if (isLeft(result)) await warmUp(transport, origin)
      }
    }
  })
})

describe('a request must not be repeated', () => {
  it.each([
    ['one byte', 'H'],
    ['the headers', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'],
    ['an interim response', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['something else', 'SSH-2.0\r\n'],
  ])('after %s of the response', async (_what, bytes) => {
    for (const close of [
      (socket: Socket) => socket.end(bytes),
      (socket: Socket) => socket.write(bytes, () => socket.destroy()),
    ]) {
      const transport = transportOf()
      const origin = await startServer(close)
      await warmUp(transport, origin)
      const { result, mayRepeat } = await outcomeOf(transport, origin)
      expect(isLeft(result)).toBe(true)
      expect(mayRepeat).toBe(false)
    }
  })

  it('if its connection was new', async () => {
    for (const close of [end, reset]) {
      const port = await startTcpServer((socket) => socket.once('data', () => close(socket)))
      const transport = transportOf()
      for (const newConnection of [false, true]) {
        const { result, mayRepeat } = await outcomeOf(transport, `http://127.0.0.1:${port}`, {
          newConnection,
        })
        expect(isLeft(result)).toBe(true)
        expect(mayRepeat).toBe(false)
      }
    }
  })

  it('if its body is too long, or it is invalid', async () => {
    const origin = await startServer((socket) => socket.write(response))
    const transport = transportOf()
    await warmUp(transport, origin)
    const invalid = await outcomeOf(transport, origin, { path: 'no slash' })
    const long = await outcomeOf(transport, origin, { maxBodyBytes: 1 })
    expect([invalid, long]).toMatchObject([
      { result: { left: { _tag: 'NetworkError' } }, mayRepeat: false },
      { result: { left: { _tag: 'DecodeError' } }, mayRepeat: false },
    ])
  })

  it.each<[string, string, (transport: HttpTransport, abort: () => void) => unknown]>([
    ['abort()', 'AbortError', (_transport, abort) => abort()],
    ['close()', 'ClientDestroyedError', (transport) => transport.close()],
  ])('if %s ends it', async (_what, name, finish) => {
    let arrived = 0
    const origin = await startServer(() => (arrived += 1))
    const transport = transportOf()
    await warmUp(transport, origin)
    let abort: () => void = () => undefined
    const outcome = new Promise<Outcome>((resolve) => {
      abort = transport.get(requestOf(origin), (result, mayRepeat = false) => resolve({ result, mayRepeat }))
    })
    await eventually(() => expect(arrived).toBe(1))
    await finish(transport, abort)
    expect(await outcome).toMatchObject({ result: { left: { cause: { name } } }, mayRepeat: false })
  })
})

describe('newConnection', () => {
  it('opens a connection although others are idle, and keeps it for later requests', async () => {
    const sockets: Socket[] = []
    const port = await startTcpServer((socket) => {
      sockets.push(socket)
      socket.on('data', () => socket.write(response))
    })
    const transport = transportOf()
    const origin = `http://127.0.0.1:${port}`
    await warmUp(transport, origin)
    expect(isRight((await outcomeOf(transport, origin, { newConnection: true })).result)).toBe(true)
    expect(sockets).toHaveLength(2)
    await warmUp(transport, origin)
    expect(sockets).toHaveLength(2)
  })
})
