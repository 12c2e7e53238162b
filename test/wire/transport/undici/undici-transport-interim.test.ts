import { right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { createSelfSignedCertificate } from '../../../support/network/certificate.js'
import { startHttpServer, startTcpServer } from '../../../support/network/servers.js'
import { nextTurn } from '../../../support/time/event-loop.js'
import { expectNetworkError, get, requestOf, send, transportOf } from './support/requests.js'

const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nContent-Length: 7\r\n\r\n'
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'

/** Starts a server that answers each request with these pieces, each in its own turn of the event loop. Returns its origin. */
const startServer = async (pieces: readonly string[]): Promise<string> => {
  const port = await startTcpServer((socket) => {
    socket.setNoDelay()
    socket.on('data', () => {
      const [first = '', ...rest] = pieces
      socket.write(first)
      const writeNext = (): void => {
        const piece = rest.shift()
        if (piece !== undefined) socket.write(piece, () => setImmediate(writeNext))
      }
      writeNext()
    })
  })
  return `http://127.0.0.1:${port}`
}

describe('a response', () => {
  it.each<[string, string]>([
    ['100 Continue', goOn],
    ['100 without a reason', 'HTTP/1.1 100 \r\n\r\n'],
    ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103 Early Hints', hints],
    ['199', 'HTTP/1.1 199 X\r\nConnection: close\r\n\r\n'],
    ['several of them', goOn + hints + goOn + 'HTTP/1.0 102 Wait\r\n\r\n'],
    ['a thousand of them', goOn.repeat(1000)],
  ])('is received after %s, in one piece and byte by byte', async (_what, interim) => {
    const bytes = interim.length > 1000 ? [interim, final] : Array.from(interim + final)
    for (const pieces of [[interim + final], [interim, final], bytes]) {
      const transport = transportOf()
      const origin = await startServer(pieces)
      for (let count = 0; count < 2; count++) {
        expect(await send(transport, requestOf(origin)).result).toMatchObject(
          right({ status: 200, headers: { 'content-length': '2' }, body: 'ok' }),
        )
        await nextTurn()
      }
    }
  })

  it('is received after 100 Continue over TLS', async () => {
    const certificate = createSelfSignedCertificate()
    const origin = await startHttpServer((_request, response) => {
      response.writeContinue()
      response.writeProcessing()
      response.end('ok')
    }, certificate)
    const transport = transportOf({ ca: certificate.cert })
    expect(await send(transport, requestOf(origin)).result).toMatchObject(right({ body: 'ok' }))
  })

  it('is not taken from an interim response that came before the request', async () => {
    let connections = 0
    const port = await startTcpServer((socket) => {
      connections += 1
      const stray = connections === 1 ? goOn : ''
      socket.on('data', () => socket.write(final + stray))
    })
    const transport = transportOf()
    const origin = `http://127.0.0.1:${port}`
    for (let count = 1; count <= 3; count++) {
      expect(await send(transport, requestOf(origin)).result).toMatchObject(right({ body: 'ok' }))
      await nextTurn()
    }
    // undici has closed the connection of the unexpected response.
    expect(connections).toBe(2)
  })
})

describe('a request returns a NetworkError', () => {
  it('if the response is 101', async () => {
    const origin = await startServer(['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n' + final])
    expectNetworkError(await get(origin), /^(UND_ERR_SOCKET|ERR_ASSERTION)$/)
  })

  it('if the connection ends inside an interim response, or after it', async () => {
    for (const bytes of ['HTTP/1.1 100 Con', goOn, 'HTTP/1.1 1']) {
      const port = await startTcpServer((socket) => socket.once('data', () => socket.end(bytes)))
      expectNetworkError(await get(`http://127.0.0.1:${port}`), /^(UND_ERR_SOCKET|HTTPParserError|HPE_.*)$/)
    }
  })
})
