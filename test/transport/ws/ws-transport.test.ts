import dns from 'node:dns'
import { describe, expect, it, onTestFinished, vi, type MockInstance } from 'vitest'
import type { Socket, WebSocketTransport } from '../../../src/transport/ports.js'
import { wsTransport } from '../../../src/transport/ws/ws-transport.js'
import { selfSigned } from '../../support/network/certificate.js'
import { eventually } from '../../support/eventually.js'
import { recorder, type Recorder } from '../support/recorder.js'
import {
  deafPort,
  httpServer,
  rudeServer,
  tcpServer,
  webSocketServer,
} from '../../support/network/servers.js'

const maxFrameBytes = 1000

type Lookup = (
  host: string,
  options: unknown,
  found: (error: null, addresses: readonly object[]) => void,
) => void

const transportOf = (ca?: string): WebSocketTransport => {
  const transport = wsTransport(ca)
  onTestFinished(() => transport.close())
  return transport
}

interface Dialled {
  readonly transport: WebSocketTransport
  readonly socket: Socket
  readonly recorded: Recorder
}

const dial = (url: string, transport = transportOf(), limit = maxFrameBytes): Dialled => {
  const recorded = recorder()
  const socket = transport.dial(url, { maxFrameBytes: limit }, recorded)
  return { transport, socket, recorded }
}

/** Checks that `closed` is the last event and occurs once. */
const expectClosedOnce = async ({ transport, socket, recorded }: Dialled): Promise<void> => {
  await recorded.whenClosed
  socket.close()
  socket.terminate()
  socket.send('late')
  socket.ping()
  await transport.close()
  expect(recorded.events.filter(([what]) => what === 'closed')).toHaveLength(1)
  expect(recorded.events.at(-1)?.[0]).toBe('closed')
}

/** Stops timers, so that anything that waits for a timer does not happen. */
const withoutTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

const silent = () => undefined

const closeFrame = (code: number): number[] => [0x88, 2, code >> 8, code & 255]

describe('an open socket', () => {
  it('reports opening, texts, binary frames and pings in order', async () => {
    const { url } = await webSocketServer((peer) => {
      peer.send('{"a":"é"}')
      peer.send(Buffer.of(0, 255))
      peer.ping()
      peer.send('')
    })
    const { recorded } = dial(url)
    expect(recorded.events).toEqual([])
    await eventually(() =>
      expect(recorded.events).toEqual([
        ['opened'],
        ['text', '{"a":"é"}'],
        ['binary', [0, 255]],
        ['alive'],
        ['text', ''],
      ]),
    )
  })

  it('reports a text that is not UTF-8', async () => {
    const { recorded } = dial(await rudeServer(0x81, 3, 0x61, 0xff, 0x62, 0x81, 1, 0x63))
    await eventually(() =>
      expect(recorded.events).toEqual([['opened'], ['text', 'a\u{fffd}b'], ['text', 'c']]),
    )
  })

  it('reports the pong to its ping', async () => {
    const { url } = await webSocketServer(silent)
    const { socket, recorded } = dial(url)
    await recorded.whenOpen
    socket.ping()
    await eventually(() => expect(recorded.events).toEqual([['opened'], ['alive']]))
  })

  it('sends text frames, but none before it is open (section 4.3)', async () => {
    const received: [string, boolean][] = []
    const { url } = await webSocketServer((peer) =>
      peer.on('message', (data: Buffer, isBinary) => received.push([data.toString(), isBinary])),
    )
    const { socket, recorded } = dial(url)
    socket.send('too early')
    socket.ping()
    await recorded.whenOpen
    socket.send('{"method":"subscribe"}')
    socket.send('é')
    await eventually(() =>
      expect(received).toEqual([
        ['{"method":"subscribe"}', false],
        ['é', false],
      ]),
    )
  })

  it('dials the unchanged path and query, without compression', async () => {
    const seen: unknown[] = []
    const { url } = await webSocketServer((_peer, headers, path) =>
      seen.push(path, headers['sec-websocket-extensions']),
    )
    await dial(`${url}/prices?key=1`).recorded.whenOpen
    expect(seen).toEqual(['/prices?key=1', undefined])
  })

  it('stays open after many pings in one read, as after a blocked event loop', async () => {
    const pings = Array.from({ length: 300 }, () => [0x89, 0]).flat()
    const { recorded } = dial(await rudeServer(...pings, 0x81, 1, 0x61))
    await eventually(() => expect(recorded.events.at(-1)).toEqual(['text', 'a']))
    expect(recorded.events.filter(([what]) => what === 'alive')).toHaveLength(300)
  })
})

describe('maxFrameBytes', () => {
  it.each([2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])(
    'accepts a limit of %i',
    async (limit) => {
      const { url } = await webSocketServer((peer) => peer.send('more than one byte'))
      const { recorded } = dial(url, undefined, limit)
      await eventually(() => expect(recorded.events).toEqual([['opened'], ['text', 'more than one byte']]))
    },
  )
})

describe('closed', () => {
  it.each([1000, 1001, 1008, 1011, 1012, 4000, 4999])(
    'reports code %i and the reason from the service',
    async (code) => {
      const { url } = await webSocketServer((peer) => peer.close(code, 'restarting'))
      const dialled = dial(url)
      await expectClosedOnce(dialled)
      expect(dialled.recorded.events).toEqual([['opened'], ['closed', code, 'restarting']])
    },
  )

  it('reports a reason in words if the service gives none', async () => {
    const { url } = await webSocketServer((peer) => peer.close(1001))
    expect(await dial(url).recorded.whenClosed).toEqual({ code: 1001, reason: 'closed by the service' })
  })

  it('reports 1005 if the close frame has no code', async () => {
    const { url } = await webSocketServer((peer) => peer.close())
    expect(await dial(url).recorded.whenClosed).toEqual({ code: 1005, reason: 'closed by the service' })
  })

  it('reports 1006 if the service closes the TCP connection', async () => {
    const { url } = await webSocketServer((peer) => peer.terminate())
    const dialled = dial(url)
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toEqual({
      code: 1006,
      reason: 'the connection ended without a close frame',
    })
  })

  it(
    'is called soon if the service sends a close frame and leaves the connection open',
    { timeout: 10_000 },
    async () => {
      const dialled = dial(await rudeServer(...closeFrame(1012)))
      await expectClosedOnce(dialled)
      expect(await dialled.recorded.whenClosed).toEqual({ code: 1012, reason: 'closed by the service' })
    },
  )

  it('reports 1009 for an oversized frame, which is not delivered', async () => {
    const { url } = await webSocketServer((peer) => {
      peer.send('x'.repeat(maxFrameBytes))
      peer.send('y'.repeat(maxFrameBytes + 1))
    })
    const dialled = dial(url)
    await expectClosedOnce(dialled)
    expect(dialled.recorded.events).toEqual([
      ['opened'],
      ['text', 'x'.repeat(maxFrameBytes)],
      ['closed', 1009, 'Max payload size exceeded'],
    ])
  })

  it.each([
    ['a tebibyte', [0, 0, 1, 0, 0, 0, 0, 0]],
    ['2^53 bytes', [0, 32, 0, 0, 0, 0, 0, 0]],
    ['2^63 - 1 bytes', [127, 255, 255, 255, 255, 255, 255, 255]],
  ])('reports 1009 for the header of an oversized frame: %s', async (_length, bytes) => {
    const dialled = dial(await rudeServer(0x81, 127, ...bytes))
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toMatchObject({ code: 1009 })
  })

  it('reports 1009 for fragments that are too long together', async () => {
    const { url } = await webSocketServer((peer) => {
      const piece = 'x'.repeat(maxFrameBytes - 1)
      peer.send(piece, { fin: false })
      peer.send(piece, { fin: true })
    })
    expect(await dial(url).recorded.whenClosed).toMatchObject({ code: 1009 })
  })

  it.each([
    ['a reserved bit', [0xc1, 0]],
    ['an unknown opcode', [0x8f, 0]],
    ['a masked frame', [0x81, 0x80, 0, 0, 0, 0]],
    ['an invalid close code', [0x88, 2, 0, 1]],
  ])('is called immediately, with a reason in words, after %s', async (_what, bytes) => {
    withoutTimers()
    const dialled = dial(await rudeServer(...bytes))
    await expectClosedOnce(dialled)
    const { code, reason } = await dialled.recorded.whenClosed
    expect(code).toBe(1006)
    expect(reason).toMatch(/^Invalid /)
  })
})

describe('a dial fails', () => {
  const expectFailure = async (url: string, reason: RegExp): Promise<void> => {
    const dialled = dial(url)
    await expectClosedOnce(dialled)
    expect(dialled.recorded.events).toEqual([['closed', 1006, expect.stringMatching(reason)]])
  }

  it.each([503, 500, 401, 200])('if the upgrade gets status %i', async (status) => {
    const origin = await httpServer((_request, response) => response.writeHead(status).end('no'))
    const server = origin.replace('http', 'ws')
    await expectFailure(server, new RegExp(`Unexpected server response: ${status}`))
  })

  it('for a redirect, which is not followed', async () => {
    const { url, clients } = await webSocketServer(silent)
    const origin = await httpServer((_request, response) => response.writeHead(302, { location: url }).end())
    await expectFailure(origin.replace('http', 'ws'), /302/)
    expect(clients.size).toBe(0)
  })

  it('if the port has no listener', async () => {
    await expectFailure(`ws://127.0.0.1:${await deafPort()}`, /ECONNREFUSED/)
  })

  it('with the errors of all addresses of a host', async () => {
    const port = await deafPort()
    const resolved = [
      { address: '127.0.0.2', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const lookup = vi.spyOn(dns, 'lookup') as unknown as MockInstance<Lookup>
    onTestFinished(() => lookup.mockRestore())
    lookup.mockImplementation((_host, _options, found) => process.nextTick(() => found(null, resolved)))
    await expectFailure(
      `ws://two.invalid:${port}`,
      new RegExp(`^connect ECONNREFUSED 127.0.0.2:${port}; connect ECONNREFUSED 127.0.0.1:${port}$`),
    )
  })

  it('if the host does not exist', async () => {
    await expectFailure(`ws://${'x'.repeat(64)}.invalid`, /ENOTFOUND|EAI_AGAIN/)
  })

  it('if the connection is closed before the response', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.destroy()))
    await expectFailure(`ws://127.0.0.1:${port}`, /./)
  })

  it('if the response is not HTTP', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')))
    await expectFailure(`ws://127.0.0.1:${port}`, /./)
  })

  it('if the response has the wrong key', async () => {
    const yes =
      'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n'
    const port = await tcpServer((socket) => socket.once('data', () => socket.write(yes)))
    await expectFailure(`ws://127.0.0.1:${port}`, /Sec-WebSocket-Accept/)
  })
})

describe('close() of a socket', () => {
  it('sends a close frame with 1000, and closes when the service responds', async () => {
    const closeCodes: number[] = []
    const { url } = await webSocketServer((peer) => peer.on('close', (code) => closeCodes.push(code)))
    const dialled = dial(url)
    await dialled.recorded.whenOpen
    dialled.socket.close()
    dialled.socket.close()
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toMatchObject({ code: 1000 })
    await eventually(() => expect(closeCodes).toEqual([1000]))
  })

  it('closes without a response, too', { timeout: 10_000 }, async () => {
    const dialled = dial(await rudeServer())
    await dialled.recorded.whenOpen
    dialled.socket.close()
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toMatchObject({ code: 1006 })
  })

  it('aborts a dial without a response', async () => {
    const port = await tcpServer(silent)
    const dialled = dial(`ws://127.0.0.1:${port}`)
    dialled.socket.close()
    await expectClosedOnce(dialled)
    expect(dialled.recorded.events).toEqual([['closed', 1006, expect.stringMatching(/\w/)]])
  })
})

describe('terminate() of a socket', () => {
  it('closes an open socket immediately, without a close frame', async () => {
    const closeCodes: number[] = []
    const { url } = await webSocketServer((peer) => peer.on('close', (code) => closeCodes.push(code)))
    const dialled = dial(url)
    await dialled.recorded.whenOpen
    withoutTimers()
    dialled.socket.terminate()
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toMatchObject({ code: 1006 })
    await eventually(() => expect(closeCodes).toEqual([1006]))
  })

  it('aborts a dial without a response', async () => {
    const port = await tcpServer(silent)
    const dialled = dial(`ws://127.0.0.1:${port}`)
    dialled.socket.terminate()
    await expectClosedOnce(dialled)
  })

  it('interrupts a closing handshake', async () => {
    const dialled = dial(await rudeServer())
    await dialled.recorded.whenOpen
    withoutTimers()
    dialled.socket.close()
    dialled.socket.terminate()
    await expectClosedOnce(dialled)
  })
})

describe('close() of the transport', () => {
  it('resolves when every socket has closed: open, unresponsive, dialling or failing', async () => {
    const { url, clients } = await webSocketServer(silent)
    const transport = transportOf()
    const urls = [
      url,
      url,
      await rudeServer(),
      await rudeServer(...closeFrame(1001)),
      `ws://127.0.0.1:${await tcpServer(silent)}`,
      `ws://127.0.0.1:${await deafPort()}`,
    ]
    const dialled = urls.map((to) => dial(to, transport))
    await Promise.all(dialled.slice(0, 4).map(({ recorded }) => recorded.whenOpen))
    await transport.close()
    for (const { recorded } of dialled) expect(recorded.events.at(-1)?.[0]).toBe('closed')
    await eventually(() => expect(clients.size).toBe(0))
    await Promise.all(dialled.map(expectClosedOnce))
  })

  it('may be called twice, and without sockets', async () => {
    const transport = wsTransport(undefined)
    await Promise.all([transport.close(), transport.close()])
    await expect(transport.close()).resolves.toBeUndefined()
  })
})

describe('a wss: socket', () => {
  const certified = selfSigned()

  it('rejects an untrusted certificate', async () => {
    const { url } = await webSocketServer(silent, certified)
    const dialled = dial(url)
    await expectClosedOnce(dialled)
    expect(dialled.recorded.events).toEqual([
      ['closed', 1006, expect.stringMatching(/self-signed certificate/)],
    ])
  })

  it('accepts a certificate that ca trusts', async () => {
    const { url } = await webSocketServer((peer) => peer.send('private'), certified)
    const { recorded } = dial(url, transportOf(certified.cert))
    await eventually(() => expect(recorded.events).toEqual([['opened'], ['text', 'private']]))
  })

  it('rejects a certificate that ca does not trust', async () => {
    const { url } = await webSocketServer(silent, certified)
    expect(await dial(url, transportOf(selfSigned().cert)).recorded.whenClosed).toMatchObject({ code: 1006 })
  })
})
