import { describe, expect, it } from 'vitest'
import { wsTransport } from '../../../../src/wire/transport/ws/ws-transport.js'
import { eventually } from '../../../support/time/eventually.js'
import { createSelfSignedCertificate } from '../../../support/network/certificate.js'
import {
  findUnusedPort,
  startUnresponsiveServer,
  startTcpServer,
  startWebSocketServer,
} from '../../../support/network/servers.js'
import { dial, expectClosedOnce, freezeTimers, transportOf } from './support/dial.js'
import { recordingListener } from '../support/recording-listener.js'
import { close } from './support/frames.js'

const noop = () => undefined

describe('an open socket', () => {
  it('reports opening, texts, binary frames and pings in order', async () => {
    const { url } = await startWebSocketServer((peer) => {
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
    const { recorded } = dial(await startUnresponsiveServer(0x81, 3, 0x61, 0xff, 0x62, 0x81, 1, 0x63))
    await eventually(() =>
      expect(recorded.events).toEqual([['opened'], ['text', 'a\u{fffd}b'], ['text', 'c']]),
    )
  })

  it('reports the pong to its ping', async () => {
    const { url } = await startWebSocketServer(noop)
    const { socket, recorded } = dial(url)
    await recorded.whenOpen
    socket.ping?.('1')
    await eventually(() => expect(recorded.events).toEqual([['opened'], ['alive']]))
  })

  it('sends text frames, but none before it is open (section 4.3)', async () => {
    const received: [string, boolean][] = []
    const { url } = await startWebSocketServer((peer) =>
      peer.on('message', (data: Buffer, isBinary) => received.push([data.toString(), isBinary])),
    )
    const { socket, recorded } = dial(url)
    socket.send('too early')
    socket.ping?.('1')
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
    const upgrades: unknown[] = []
    const { url } = await startWebSocketServer((_peer, headers, path) =>
      upgrades.push(path, headers['sec-websocket-extensions']),
    )
    await dial(`${url}/prices?key=1`).recorded.whenOpen
    expect(upgrades).toEqual(['/prices?key=1', undefined])
  })

  it('stays open after many pings in one read, as after a blocked event loop', async () => {
    const pings = Array.from({ length: 300 }, () => [0x89, 0]).flat()
    const { recorded } = dial(await startUnresponsiveServer(...pings, 0x81, 1, 0x61))
    await eventually(() => expect(recorded.events.at(-1)).toEqual(['text', 'a']))
    expect(recorded.events.filter(([what]) => what === 'alive')).toHaveLength(300)
  })
})

describe('maxFrameBytes', () => {
  it.each([2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])(
    'accepts a limit of %i',
    async (limit) => {
      const { url } = await startWebSocketServer((peer) => peer.send('more than one byte'))
      const { recorded } = dial(url, undefined, limit)
      await eventually(() => expect(recorded.events).toEqual([['opened'], ['text', 'more than one byte']]))
    },
  )
})

describe('close() of a socket', () => {
  it('sends a close frame with 1000, and closes when the service responds', async () => {
    const closeCodes: number[] = []
    const { url } = await startWebSocketServer((peer) => peer.on('close', (code) => closeCodes.push(code)))
    const dialled = dial(url)
    await dialled.recorded.whenOpen
    dialled.socket.close()
    dialled.socket.close()
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toMatchObject({ code: 1000 })
    await eventually(() => expect(closeCodes).toEqual([1000]))
  })

  it('closes after a timeout without a response', { timeout: 10_000 }, async () => {
    const dialled = dial(await startUnresponsiveServer())
    await dialled.recorded.whenOpen
    dialled.socket.close()
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toMatchObject({ code: 1006 })
  })

  it('aborts a dial without a response', async () => {
    const port = await startTcpServer(noop)
    const dialled = dial(`ws://127.0.0.1:${port}`)
    dialled.socket.close()
    await expectClosedOnce(dialled)
    expect(dialled.recorded.events).toEqual([['closed', 1006, expect.stringMatching(/\w/)]])
  })
})

describe('terminate() of a socket', () => {
  it('closes an open socket immediately, without a close frame', async () => {
    const closeCodes: number[] = []
    const { url } = await startWebSocketServer((peer) => peer.on('close', (code) => closeCodes.push(code)))
    const dialled = dial(url)
    await dialled.recorded.whenOpen
    freezeTimers()
    dialled.socket.terminate()
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toMatchObject({ code: 1006 })
    await eventually(() => expect(closeCodes).toEqual([1006]))
  })

  it('aborts a dial without a response', async () => {
    const port = await startTcpServer(noop)
    const dialled = dial(`ws://127.0.0.1:${port}`)
    dialled.socket.terminate()
    await expectClosedOnce(dialled)
  })

  it('interrupts a closing handshake', async () => {
    const dialled = dial(await startUnresponsiveServer())
    await dialled.recorded.whenOpen
    freezeTimers()
    dialled.socket.close()
    dialled.socket.terminate()
    await expectClosedOnce(dialled)
  })
})

it.each(['close', 'terminate'] as const)('%s() before the dial starts dials nothing', async (end) => {
  const { url, clients } = await startWebSocketServer(noop)
  const transport = transportOf()
  const recorded = recordingListener()
  transport.dial(url, { maxFrameBytes: 1000 }, recorded)[end]()
  await recorded.whenClosed
  expect(recorded.events).toEqual([['closed', 1006, 'closed before it was dialled']])
  const later = dial(url, transport)
  await later.recorded.whenOpen
  expect(clients.size).toBe(1)
})

it('reports a dial that throws', async () => {
  const { recorded } = dial('ws://127.0.0.1:1/#fragment')
  await recorded.whenClosed
  expect(recorded.events).toEqual([['closed', 1006, expect.stringContaining('fragment')]])
})

describe('close() of the transport', () => {
  it('resolves when every socket has closed: open, unresponsive, dialling or failing', async () => {
    const { url, clients } = await startWebSocketServer(noop)
    const transport = transportOf()
    const urls = [
      url,
      url,
      await startUnresponsiveServer(),
      await startUnresponsiveServer(...close(1001)),
      `ws://127.0.0.1:${await startTcpServer(noop)}`,
      `ws://127.0.0.1:${await findUnusedPort()}`,
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
  const certificate = createSelfSignedCertificate()

  it('rejects an untrusted certificate', async () => {
    const { url } = await startWebSocketServer(noop, { certificate })
    const dialled = dial(url)
    await expectClosedOnce(dialled)
    expect(dialled.recorded.events).toEqual([
      ['closed', 1006, expect.stringMatching(/self.signed certificate/)],
    ])
  })

  it('accepts a certificate that ca trusts', async () => {
    const { url } = await startWebSocketServer((peer) => peer.send('private'), { certificate })
    const { recorded } = dial(url, transportOf(certificate.cert))
    await eventually(() => expect(recorded.events).toEqual([['opened'], ['text', 'private']]))
  })

  it('rejects a certificate that ca does not trust', async () => {
    const { url } = await startWebSocketServer(noop, { certificate })
    expect(
      await dial(url, transportOf(createSelfSignedCertificate().cert)).recorded.whenClosed,
    ).toMatchObject({ code: 1006 })
  })
})
