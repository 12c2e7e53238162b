import dns from 'node:dns'
import { describe, expect, it, onTestFinished, vi, type MockInstance } from 'vitest'
import type { Socket, WebSocketTransport } from '../../../src/transport/ports.js'
import { wsTransport } from '../../../src/transport/ws/ws-transport.js'
import { selfSigned } from '../../support/certificate.js'
import { eventually } from '../../support/eventually.js'
import { recorder, type Recorder } from '../support/recorder.js'
import { deafPort, httpServer, rudeServer, tcpServer, webSocketServer } from '../support/servers.js'

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
  readonly heard: Recorder
}

const dial = (url: string, transport = transportOf(), limit = maxFrameBytes): Dialled => {
  const heard = recorder()
  const socket = transport.dial(url, { maxFrameBytes: limit }, heard)
  return { transport, socket, heard }
}

/** That it was told of the end once, and of nothing after it. */
const expectOneEnd = async ({ transport, socket, heard }: Dialled): Promise<void> => {
  await heard.gone
  socket.close()
  socket.terminate()
  socket.send('late')
  socket.ping()
  await transport.close()
  expect(heard.events.filter(([what]) => what === 'closed')).toHaveLength(1)
  expect(heard.events.at(-1)?.[0]).toBe('closed')
}

/** What waits for a timer never comes. */
const withoutTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

const silent = () => undefined

const goodbyeFrame = (code: number): number[] => [0x88, 2, code >> 8, code & 255]

describe('an open socket', () => {
  it('tells of its opening, of texts, of bytes, and of pings as signs of life, in order', async () => {
    const { url } = await webSocketServer((peer) => {
      peer.send('{"a":"é"}')
      peer.send(Buffer.of(0, 255))
      peer.ping()
      peer.send('')
    })
    const { heard } = dial(url)
    expect(heard.events).toEqual([])
    await eventually(() =>
      expect(heard.events).toEqual([
        ['opened'],
        ['text', '{"a":"é"}'],
        ['binary', [0, 255]],
        ['alive'],
        ['text', ''],
      ]),
    )
  })

  it('tells of a text that is not UTF-8 as of any other', async () => {
    const { heard } = dial(await rudeServer(0x81, 3, 0x61, 0xff, 0x62, 0x81, 1, 0x63))
    await eventually(() => expect(heard.events).toEqual([['opened'], ['text', 'a\u{fffd}b'], ['text', 'c']]))
  })

  it('tells of the answer to its ping as a sign of life', async () => {
    const { url } = await webSocketServer(silent)
    const { socket, heard } = dial(url)
    await heard.isOpen
    socket.ping()
    await eventually(() => expect(heard.events).toEqual([['opened'], ['alive']]))
  })

  it('sends text frames, once it is open (section 4.3)', async () => {
    const received: [string, boolean][] = []
    const { url } = await webSocketServer((peer) =>
      peer.on('message', (data: Buffer, isBinary) => received.push([data.toString(), isBinary])),
    )
    const { socket, heard } = dial(url)
    socket.send('too early')
    socket.ping()
    await heard.isOpen
    socket.send('{"method":"subscribe"}')
    socket.send('é')
    await eventually(() =>
      expect(received).toEqual([
        ['{"method":"subscribe"}', false],
        ['é', false],
      ]),
    )
  })

  it('dials path and query as they are, and asks for no compression', async () => {
    const seen: unknown[] = []
    const { url } = await webSocketServer((_peer, headers, path) =>
      seen.push(path, headers['sec-websocket-extensions']),
    )
    await dial(`${url}/prices?key=1`).heard.isOpen
    expect(seen).toEqual(['/prices?key=1', undefined])
  })
})

describe('maxFrameBytes', () => {
  it.each([2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])('may be as much as %i', async (limit) => {
    const { url } = await webSocketServer((peer) => peer.send('more than one byte'))
    const { heard } = dial(url, undefined, limit)
    await eventually(() => expect(heard.events).toEqual([['opened'], ['text', 'more than one byte']]))
  })

  it('goes on after many pings at once, as after a blocked event loop', async () => {
    const pings = Array.from({ length: 300 }, () => [0x89, 0]).flat()
    const { heard } = dial(await rudeServer(...pings, 0x81, 1, 0x61))
    await eventually(() => expect(heard.events.at(-1)).toEqual(['text', 'a']))
    expect(heard.events.filter(([what]) => what === 'alive')).toHaveLength(300)
  })
})

describe('the end of a socket', () => {
  it.each([1000, 1001, 1008, 1011, 1012, 4000, 4999])(
    'has the code %i and the reason of the service',
    async (code) => {
      const { url } = await webSocketServer((peer) => peer.close(code, 'so long'))
      const dialled = dial(url)
      await expectOneEnd(dialled)
      expect(dialled.heard.events).toEqual([['opened'], ['closed', code, 'so long']])
    },
  )

  it('says in words that the service gave no reason', async () => {
    const { url } = await webSocketServer((peer) => peer.close(1001))
    expect(await dial(url).heard.gone).toEqual({ code: 1001, reason: 'closed by the service' })
  })

  it('has the code 1005 where the close frame has none', async () => {
    const { url } = await webSocketServer((peer) => peer.close())
    expect(await dial(url).heard.gone).toEqual({ code: 1005, reason: 'closed by the service' })
  })

  it('is 1006 where the service cuts the connection', async () => {
    const { url } = await webSocketServer((peer) => peer.terminate())
    const dialled = dial(url)
    await expectOneEnd(dialled)
    expect(await dialled.heard.gone).toEqual({
      code: 1006,
      reason: 'the connection ended without a close frame',
    })
  })

  it(
    'comes soon where the service says goodbye and leaves the connection open',
    { timeout: 10_000 },
    async () => {
      const dialled = dial(await rudeServer(...goodbyeFrame(1012)))
      await expectOneEnd(dialled)
      expect(await dialled.heard.gone).toEqual({ code: 1012, reason: 'closed by the service' })
    },
  )

  it('is 1009 where a frame is too long, and the frame is not delivered', async () => {
    const { url } = await webSocketServer((peer) => {
      peer.send('x'.repeat(maxFrameBytes))
      peer.send('y'.repeat(maxFrameBytes + 1))
    })
    const dialled = dial(url)
    await expectOneEnd(dialled)
    expect(dialled.heard.events).toEqual([
      ['opened'],
      ['text', 'x'.repeat(maxFrameBytes)],
      ['closed', 1009, 'Max payload size exceeded'],
    ])
  })

  it.each([
    ['a tebibyte', [0, 0, 1, 0, 0, 0, 0, 0]],
    ['2^53 bytes', [0, 32, 0, 0, 0, 0, 0, 0]],
    ['2^63 - 1 bytes', [127, 255, 255, 255, 255, 255, 255, 255]],
  ])('is 1009 where a frame only says that it is too long: %s', async (_length, bytes) => {
    const dialled = dial(await rudeServer(0x81, 127, ...bytes))
    await expectOneEnd(dialled)
    expect(await dialled.heard.gone).toMatchObject({ code: 1009 })
  })

  it('is 1009 where the pieces of a frame are too long together', async () => {
    const { url } = await webSocketServer((peer) => {
      const piece = 'x'.repeat(maxFrameBytes - 1)
      peer.send(piece, { fin: false })
      peer.send(piece, { fin: true })
    })
    expect(await dial(url).heard.gone).toMatchObject({ code: 1009 })
  })

  it.each([
    ['a reserved bit', [0xc1, 0]],
    ['an unknown kind of frame', [0x8f, 0]],
    ['a masked frame', [0x81, 0x80, 0, 0, 0, 0]],
    ['a close code that does not exist', [0x88, 2, 0, 1]],
  ])('comes at once, with a reason in words, after %s', async (_what, bytes) => {
    withoutTimers()
    const dialled = dial(await rudeServer(...bytes))
    await expectOneEnd(dialled)
    const { code, reason } = await dialled.heard.gone
    expect(code).toBe(1006)
    expect(reason).toMatch(/^Invalid /)
  })
})

describe('a dial that fails', () => {
  const expectFailure = async (url: string, reason: RegExp): Promise<void> => {
    const dialled = dial(url)
    await expectOneEnd(dialled)
    expect(dialled.heard.events).toEqual([['closed', 1006, expect.stringMatching(reason)]])
  }

  it.each([503, 500, 401, 200])('because the upgrade is answered with %i', async (status) => {
    const origin = await httpServer((_request, response) => response.writeHead(status).end('no'))
    const server = origin.replace('http', 'ws')
    await expectFailure(server, new RegExp(`Unexpected server response: ${status}`))
  })

  it('because of a redirect, which is not followed', async () => {
    const { url, clients } = await webSocketServer(silent)
    const origin = await httpServer((_request, response) => response.writeHead(302, { location: url }).end())
    await expectFailure(origin.replace('http', 'ws'), /302/)
    expect(clients.size).toBe(0)
  })

  it('because nobody listens', async () => {
    await expectFailure(`ws://127.0.0.1:${await deafPort()}`, /ECONNREFUSED/)
  })

  it('because nobody listens at any address of the host: what each says', async () => {
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

  it('because the host does not exist', async () => {
    await expectFailure(`ws://${'x'.repeat(64)}.invalid`, /ENOTFOUND|EAI_AGAIN/)
  })

  it('because the connection is cut before the upgrade is answered', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.destroy()))
    await expectFailure(`ws://127.0.0.1:${port}`, /./)
  })

  it('because what answers speaks no HTTP', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')))
    await expectFailure(`ws://127.0.0.1:${port}`, /./)
  })

  it('because the upgrade is agreed to with the wrong key', async () => {
    const yes =
      'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n'
    const port = await tcpServer((socket) => socket.once('data', () => socket.write(yes)))
    await expectFailure(`ws://127.0.0.1:${port}`, /Sec-WebSocket-Accept/)
  })
})

describe('close()', () => {
  it('says goodbye with 1000, and ends when it is answered', async () => {
    const goodbyes: number[] = []
    const { url } = await webSocketServer((peer) => peer.on('close', (code) => goodbyes.push(code)))
    const dialled = dial(url)
    await dialled.heard.isOpen
    dialled.socket.close()
    dialled.socket.close()
    await expectOneEnd(dialled)
    expect(await dialled.heard.gone).toMatchObject({ code: 1000 })
    await eventually(() => expect(goodbyes).toEqual([1000]))
  })

  it('ends without an answer, too', { timeout: 10_000 }, async () => {
    const dialled = dial(await rudeServer())
    await dialled.heard.isOpen
    dialled.socket.close()
    await expectOneEnd(dialled)
    expect(await dialled.heard.gone).toMatchObject({ code: 1006 })
  })

  it('ends a dial that is not answered', async () => {
    const port = await tcpServer(silent)
    const dialled = dial(`ws://127.0.0.1:${port}`)
    dialled.socket.close()
    await expectOneEnd(dialled)
    expect(dialled.heard.events).toEqual([['closed', 1006, expect.stringMatching(/\w/)]])
  })
})

describe('terminate()', () => {
  it('ends an open socket at once, without a goodbye', async () => {
    const goodbyes: number[] = []
    const { url } = await webSocketServer((peer) => peer.on('close', (code) => goodbyes.push(code)))
    const dialled = dial(url)
    await dialled.heard.isOpen
    withoutTimers()
    dialled.socket.terminate()
    await expectOneEnd(dialled)
    expect(await dialled.heard.gone).toMatchObject({ code: 1006 })
    await eventually(() => expect(goodbyes).toEqual([1006]))
  })

  it('ends a dial that is not answered', async () => {
    const port = await tcpServer(silent)
    const dialled = dial(`ws://127.0.0.1:${port}`)
    dialled.socket.terminate()
    await expectOneEnd(dialled)
  })

  it('cuts a goodbye short', async () => {
    const dialled = dial(await rudeServer())
    await dialled.heard.isOpen
    withoutTimers()
    dialled.socket.close()
    dialled.socket.terminate()
    await expectOneEnd(dialled)
  })
})

describe('the close() of the transport', () => {
  it('resolves when every socket is gone: open, rude, dialling, or failing', async () => {
    const { url, clients } = await webSocketServer(silent)
    const transport = transportOf()
    const urls = [
      url,
      url,
      await rudeServer(),
      await rudeServer(...goodbyeFrame(1001)),
      `ws://127.0.0.1:${await tcpServer(silent)}`,
      `ws://127.0.0.1:${await deafPort()}`,
    ]
    const dialled = urls.map((to) => dial(to, transport))
    await Promise.all(dialled.slice(0, 4).map(({ heard }) => heard.isOpen))
    await transport.close()
    for (const { heard } of dialled) expect(heard.events.at(-1)?.[0]).toBe('closed')
    await eventually(() => expect(clients.size).toBe(0))
    await Promise.all(dialled.map(expectOneEnd))
  })

  it('may come twice, and where nothing was ever dialled', async () => {
    const transport = wsTransport(undefined)
    await Promise.all([transport.close(), transport.close()])
    await expect(transport.close()).resolves.toBeUndefined()
  })
})

describe('wss:', () => {
  const certified = selfSigned()

  it('refuses a certificate that nobody vouches for', async () => {
    const { url } = await webSocketServer(silent, certified)
    const dialled = dial(url)
    await expectOneEnd(dialled)
    expect(dialled.heard.events).toEqual([['closed', 1006, expect.stringMatching(/self-signed certificate/)]])
  })

  it('accepts it where ca vouches for it', async () => {
    const { url } = await webSocketServer((peer) => peer.send('private'), certified)
    const { heard } = dial(url, transportOf(certified.cert))
    await eventually(() => expect(heard.events).toEqual([['opened'], ['text', 'private']]))
  })

  it('refuses it where ca vouches for another', async () => {
    const { url } = await webSocketServer(silent, certified)
    expect(await dial(url, transportOf(selfSigned().cert)).heard.gone).toMatchObject({ code: 1006 })
  })
})
