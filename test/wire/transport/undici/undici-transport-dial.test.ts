import { isLeft, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { createSelfSignedCertificate } from '../../../support/network/certificate.js'
import { startHttpServer, startTcpServer } from '../../../support/network/servers.js'
import { eventually } from '../../../support/time/eventually.js'
import { expectNetworkError, requestOf, send, transportOf } from './support/requests.js'

/** Starts a server that accepts TCP connections and answers no TLS handshake. */
const startSilentServer = async () => {
  const ends = { opened: 0, greeted: 0, closed: 0 }
  const port = await startTcpServer((socket) => {
    ends.opened += 1
    socket.once('data', () => (ends.greeted += 1))
    socket.once('end', () => socket.destroy())
    socket.once('close', () => (ends.closed += 1))
  })
  return { ends, origin: `https://127.0.0.1:${port}` }
}

describe('a TLS handshake that never ends', () => {
  it('is closed by close(), with that of a repeated request', async () => {
    const { ends, origin } = await startSilentServer()
    const transport = transportOf()
    const results = [false, false, true].map(
      (newConnection) => send(transport, requestOf(origin, { newConnection })).result,
    )
    await eventually(() => expect(ends.greeted).toBe(3))
    await transport.close()
    for (const result of results) expectNetworkError(await result, /^UND_ERR_DESTROYED$/)
    await eventually(() => expect(ends).toEqual({ opened: 3, greeted: 3, closed: 3 }))
  })

  it('is closed by close() after another connection to the same origin has failed', async () => {
    const ends = { opened: 0, greeted: 0, closed: 0 }
    const port = await startTcpServer((socket) => {
      ends.opened += 1
      const isFirst = ends.opened === 1
      socket.once('close', () => (ends.closed += 1))
      socket.once('end', () => socket.destroy())
      socket.once('data', () => {
        ends.greeted += 1
        if (isFirst) void eventually(() => ends.greeted === 2).then(() => socket.resetAndDestroy())
      })
    })
    const transport = transportOf()
    const requests = [1, 2].map(() => send(transport, requestOf(`https://127.0.0.1:${port}`)).result)
    await eventually(() => expect(ends.closed).toBe(1))
    await Promise.race(requests)
    await transport.close()
    for (const result of requests) expect(isLeft(await result)).toBe(true)
    await eventually(() => expect(ends.closed).toBe(2))
  })

  it('is closed by the abort of its request alone', async () => {
    const { ends, origin } = await startSilentServer()
    const transport = transportOf()
    const [first, second] = [send(transport, requestOf(origin)), send(transport, requestOf(origin))]
    await eventually(() => expect(ends.greeted).toBe(2))
    first.abort()
    expectNetworkError(await first.result, /^AbortError$/)
    await eventually(() => expect(ends.closed).toBe(1))
    second.abort()
    await eventually(() => expect(ends.closed).toBe(2))
  })

  it('does not prevent a later request, and an abort after the result is ignored', async () => {
    const certificate = createSelfSignedCertificate()
    const secure = await startHttpServer((_request, response) => response.end('ok'), certificate)
    const transport = transportOf({ ca: certificate.cert })
    const first = send(transport, requestOf(secure))
    first.abort()
    expect(isLeft(await first.result)).toBe(true)
    const second = send(transport, requestOf(secure))
    first.abort()
    expect(await second.result).toMatchObject(right({ body: 'ok' }))
  })
})
