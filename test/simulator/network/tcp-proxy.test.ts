import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { SimulatorError, startTcpProxy, type TcpProxy, type TcpProxyOptions } from 'svc-streams/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { findUnusedPort, startTcpServer } from '../../support/network/servers.js'
import { collectWarnings } from '../../support/warnings.js'

/** One end of a connection, with the data and events that it received. */
interface Peer {
  readonly socket: Socket
  readonly received: () => Buffer
  readonly events: string[]
}

const peerOf = (socket: Socket): Peer => {
  const chunks: Buffer[] = []
  const events: string[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('end', () => events.push('end'))
  socket.on('error', (error: NodeJS.ErrnoException) => events.push(error.code ?? error.name))
  socket.on('close', () => events.push('close'))
  onTestFinished(() => void socket.destroy())
  return { socket, received: () => Buffer.concat(chunks), events }
}

const dial = (port: number): Peer =>
  peerOf(connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true }))

interface ProxyFixture {
  readonly proxy: TcpProxy
  readonly client: Peer
  /** The service's peers, oldest first. */
  readonly service: readonly Peer[]
  /** Resolves after round trips that bypass the proxy: data sent before would have arrived without the fault. */
  readonly bypassRoundTrips: () => Promise<void>
}

const start = async (): Promise<ProxyFixture> => {
  const service: Peer[] = []
  const port = await startTcpServer((socket) => service.push(peerOf(socket.setNoDelay())))
  const proxy = closeAfterTest(await startTcpProxy({ target: `tcp://127.0.0.1:${port}` }))
  const client = dial(Number(new URL(proxy.url).port))
  await eventually(() => expect(service).toHaveLength(1))
  const echo = await startTcpServer((socket) => void socket.pipe(socket))
  const bypassRoundTrips = async (): Promise<void> => {
    const { socket } = dial(echo)
    for (let count = 0; count < 20; count++) {
      socket.write('x')
      await once(socket, 'data')
    }
  }
  return { proxy, client, service, bypassRoundTrips }
}

describe('bytesPerSecond', () => {
  const bytes = Buffer.alloc(3000, 'x')

  it('limits each direction, and keeps all data in order', async () => {
    const { proxy, client, service } = await start()
    const ordered = Buffer.from(Uint16Array.from({ length: 1500 }, (_, index) => index).buffer)
    proxy.bytesPerSecond(10_000)
    const began = performance.now()
    client.socket.write(ordered)
    service[0]!.socket.write(ordered)
    await eventually(() => expect(client.received().length).toBe(ordered.length))
    await eventually(() => expect(service[0]!.received().length).toBe(ordered.length))
    // 3000 bytes, less what the first slot of 10 ms may forward at once.
    expect(performance.now() - began).toBeGreaterThan(280)
    expect(client.received().equals(ordered)).toBe(true)
    expect(service[0]!.received().equals(ordered)).toBe(true)
  })

  it('is an option, and heal() removes it', async () => {
    const service: Peer[] = []
    const port = await startTcpServer((socket) => service.push(peerOf(socket)))
    const target = `tcp://127.0.0.1:${port}`
    const proxy = closeAfterTest(await startTcpProxy({ target, bytesPerSecond: 1 }))
    const client = dial(Number(new URL(proxy.url).port))
    client.socket.write(bytes)
    await eventually(() => expect(service).toHaveLength(1))
    expect(service[0]!.received().length).toBeLessThan(bytes.length)
    proxy.heal()
    await eventually(() => expect(service[0]!.received().length).toBe(bytes.length))
  })

  it('is shared by all connections, and a closed one uses nothing of it', async () => {
    const { proxy, client, service } = await start()
    const other = dial(Number(new URL(proxy.url).port))
    await eventually(() => expect(service).toHaveLength(2))
    proxy.bytesPerSecond(100_000)
    // Ten seconds of data wait in the proxy and in front of it.
    service[0]!.socket.write(Buffer.alloc(1_000_000))
    await eventually(() => expect(client.received().length).toBeGreaterThan(0))
    client.socket.resetAndDestroy()
    await eventually(() => expect(proxy.connections).toBe(1))
    const began = performance.now()
    service[1]!.socket.write(bytes)
    await eventually(() => expect(other.received().length).toBe(bytes.length))
    expect(performance.now() - began).toBeLessThan(5000)
  })

  it.each([0, -1, NaN, '10'])('rejects %o', async (value) => {
    const { proxy } = await start()
    const limit = value as number
    expect(() => proxy.bytesPerSecond(limit)).toThrow(SimulatorError)
    await expect(startTcpProxy({ target: 'tcp://127.0.0.1:1', bytesPerSecond: limit })).rejects.toThrow(
      SimulatorError,
    )
  })
})

describe('a TCP proxy without faults', () => {
  it('forwards all data in both directions, in order, and each FIN', async () => {
    const { client, service } = await start()
    const bytes = Buffer.from(Uint32Array.from({ length: 500_000 }, (_, index) => index).buffer)
    client.socket.write(bytes)
    service[0]!.socket.write(bytes)
    client.socket.end()
    await eventually(() => expect(service[0]!.events).toContain('end'))
    await eventually(() => expect(client.received().length).toBe(bytes.length))
    expect(client.received().equals(bytes)).toBe(true)
    expect(service[0]!.received().equals(bytes)).toBe(true)
    // The other direction is still open.
    service[0]!.socket.end('last')
    await eventually(() => expect(client.events).toContain('end'))
    expect(client.received().subarray(bytes.length).toString()).toBe('last')
  })

  it('closes the client connection when the service resets its own', async () => {
    const { proxy, client, service } = await start()
    service[0]!.socket.resetAndDestroy()
    await eventually(() => expect(client.events).toContain('close'))
    await eventually(() => expect(proxy.connections).toBe(0))
  })

  it('closes a connection that the service refuses', async () => {
    const port = await findUnusedPort()
    const proxy = closeAfterTest(await startTcpProxy({ target: `ws://127.0.0.1:${port}` }))
    const { events } = dial(Number(new URL(proxy.url).port))
    await eventually(() => expect(events).toContain('close'))
  })

  it('has a URL with the scheme, path and query of the target', async () => {
    const proxy = closeAfterTest(await startTcpProxy({ target: 'ws://127.0.0.1:1/prices?key=1' }))
    expect(proxy.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/prices\?key=1$/)
  })
})

describe('a TCP proxy with faults', () => {
  it('delays data', async () => {
    const { proxy, client, service, bypassRoundTrips } = await start()
    proxy.delay(1500)
    client.socket.write('late')
    await bypassRoundTrips()
    expect(service[0]!.received()).toHaveLength(0)
    await eventually(() => expect(service[0]!.received().toString()).toBe('late'))
  })

  it('delays each chunk from its own arrival, so that the delays of several chunks do not add up', async () => {
    const { proxy, client, service, bypassRoundTrips } = await start()
    const other = dial(Number(new URL(proxy.url).port))
    await eventually(() => expect(service).toHaveLength(2))
    proxy.delay(500)
    const texts = Array.from({ length: 20 }, (_, index) => `chunk ${index}, `)
    for (const text of texts) {
      client.socket.write(text)
      await bypassRoundTrips()
    }
    other.socket.write('sent last')
    await eventually(() => expect(service[1]!.received().toString()).toBe('sent last'))
    expect(service[0]!.received().toString()).toBe(texts.join(''))
  })

  it('keeps the order of data and FIN when the delay becomes shorter', async () => {
    const { proxy, client, service, bypassRoundTrips } = await start()
    proxy.delay(500)
    client.socket.write('first, ')
    await bypassRoundTrips()
    proxy.delay(1)
    client.socket.end('second')
    await eventually(() => expect(service[0]!.events).toContain('end'))
    expect(service[0]!.received().toString()).toBe('first, second')
  })

  it('keeps the data of a frozen direction that was delayed before', async () => {
    const { proxy, client, service, bypassRoundTrips } = await start()
    proxy.delay(100)
    client.socket.write('delayed')
    await bypassRoundTrips()
    proxy.freeze('up')
    // Data of the other direction has the same delay.
    service[0]!.socket.write('later')
    await eventually(() => expect(client.received().toString()).toBe('later'))
    await bypassRoundTrips()
    expect(service[0]!.received()).toHaveLength(0)
    proxy.heal()
    await eventually(() => expect(service[0]!.received().toString()).toBe('delayed'))
  })

  it('adds no more listeners than Node expects when it delays many connections', async () => {
    const { proxy, service, bypassRoundTrips } = await start()
    const warnings = collectWarnings()
    proxy.delay(60_000)
    for (let count = 0; count < 12; count++) dial(Number(new URL(proxy.url).port)).socket.write('delayed')
    await eventually(() => expect(service).toHaveLength(13))
    await bypassRoundTrips()
    proxy.heal()
    await eventually(() => expect(service.filter((peer) => peer.received().length > 0)).toHaveLength(12))
    expect(warnings).not.toContain('MaxListenersExceededWarning')
  })

  it('adds no more listeners than Node expects when a receiver is slow, and forwards all data', async () => {
    const { client, service } = await start()
    const warnings = collectWarnings()
    const { socket } = client
    socket.on('data', () => {
      socket.pause()
      setImmediate(() => socket.resume())
    })
    const size = 20_000_000
    service[0]!.socket.end(Buffer.alloc(size, 'x'))
    await eventually(() => expect(client.events).toContain('end'))
    expect(client.received()).toHaveLength(size)
    expect(warnings).not.toContain('MaxListenersExceededWarning')
  })

  it('closes both connections when the slow receiver of data resets its own', async () => {
    const { proxy, client, service } = await start()
    client.socket.pause()
    service[0]!.socket.write(Buffer.alloc(20_000_000))
    await eventually(() => expect(service[0]!.socket.writableLength).toBeGreaterThan(0))
    client.socket.resetAndDestroy()
    await eventually(() => expect(service[0]!.events).toContain('close'))
    await eventually(() => expect(proxy.connections).toBe(0))
  })

  it('prints no warning when it is closed many times', async () => {
    const { proxy } = await start()
    const warnings = collectWarnings()
    await Promise.all(Array.from({ length: 12 }, () => proxy.close()))
    expect(warnings).not.toContain('MaxListenersExceededWarning')
  })

  it('cuts open connections and accepts new ones', async () => {
    const { proxy, client, service } = await start()
    proxy.cut()
    await eventually(() => expect(client.events).toEqual(['end']))
    await eventually(() => expect(service[0]!.events).toContain('end'))
    dial(Number(new URL(proxy.url).port)).socket.write('again')
    await eventually(() => expect(service[1]?.received().toString()).toBe('again'))
  })

  it('resets connections', async () => {
    const { proxy, client } = await start()
    client.socket.write('x')
    proxy.reset()
    await eventually(() => expect(client.events).toEqual(['ECONNRESET', 'close']))
  })

  it('freezes open and new connections until it heals', async () => {
    const { proxy, client, service, bypassRoundTrips } = await start()
    proxy.freeze()
    service[0]!.socket.write('frozen')
    service[0]!.socket.end()
    const late = dial(Number(new URL(proxy.url).port))
    await once(late.socket, 'connect')
    late.socket.write('pending')
    await bypassRoundTrips()
    expect(client.received()).toHaveLength(0)
    expect([client.events, late.events]).toEqual([[], []])
    expect(service[1]?.received() ?? []).toHaveLength(0)
    proxy.heal()
    await eventually(() => expect(client.received().toString()).toBe('frozen'))
    await eventually(() => expect(client.events).toContain('end'))
    await eventually(() => expect(service[1]?.received().toString()).toBe('pending'))
  })

  it.each(['up', 'down'] as const)(
    'freezes data %s, and no other data, until it heals',
    async (direction) => {
      const { proxy, client, service, bypassRoundTrips } = await start()
      const [from, to] = direction === 'up' ? [client, service[0]!] : [service[0]!, client]
      proxy.freeze(direction)
      from.socket.write('frozen')
      to.socket.write('forwarded')
      await eventually(() => expect(from.received().toString()).toBe('forwarded'))
      await bypassRoundTrips()
      expect(to.received()).toHaveLength(0)
      proxy.freeze(direction)
      proxy.heal()
      await eventually(() => expect(to.received().toString()).toBe('frozen'))
    },
  )

  it.each(['up', 'down'] as const)('corrupts a single bit of the next chunk %s', async (direction) => {
    const { proxy, client, service } = await start()
    const [from, to] = direction === 'up' ? [client, service[0]!] : [service[0]!, client]
    const zeros = Buffer.alloc(100)
    proxy.corrupt(direction)
    from.socket.write(zeros)
    await eventually(() => expect(to.received()).toHaveLength(100))
    const [flipped, ...others] = [...to.received()].filter((byte) => byte !== 0)
    expect(others).toEqual([])
    expect(Math.log2(flipped ?? 0) % 1).toBe(0)
    from.socket.write(zeros)
    await eventually(() => expect(to.received().subarray(100).equals(zeros)).toBe(true))
  })

  it('heals: cancels a pending corruption and forwards delayed data immediately', async () => {
    const { proxy, client, service, bypassRoundTrips } = await start()
    proxy.delay(60_000)
    proxy.corrupt('down')
    client.socket.write('late, ')
    await bypassRoundTrips()
    proxy.heal()
    await eventually(() => expect(service[0]!.received().toString()).toBe('late, '))
    client.socket.write('then prompt')
    await eventually(() => expect(service[0]!.received().toString()).toBe('late, then prompt'))
    service[0]!.socket.write('well')
    await eventually(() => expect(client.received().toString()).toBe('well'))
  })

  it('closes while frozen, more than once', async () => {
    const { proxy, client } = await start()
    proxy.freeze()
    await Promise.all([proxy.close(), proxy.close()])
    await eventually(() => expect(client.events).toContain('end'))
    await proxy.close()
  })
})

describe('startTcpProxy', () => {
  it.each(['nowhere', 'tcp://127.0.0.1'])('rejects the target %s', async (target) => {
    await expect(startTcpProxy({ target })).rejects.toThrow(SimulatorError)
    await expect(startTcpProxy({ target })).rejects.toThrow(/^target: /)
  })

  it.each([
    ['port', { port: 70_000 }],
    ['port', { port: 'abc' }],
    ['seed', { seed: NaN }],
    ['delay', { delay: 5 }],
    ['options', null],
  ])('rejects an invalid %s: %o', async (name, options) => {
    const invalid = (options && { target: 'ws://127.0.0.1:1', ...options }) as TcpProxyOptions
    await expect(startTcpProxy(invalid)).rejects.toThrow(SimulatorError)
    await expect(startTcpProxy(invalid)).rejects.toThrow(new RegExp(`^${name}: `))
  })

  it('rejects a port that is in use', async () => {
    const { proxy } = await start()
    const inUse = { target: 'ws://127.0.0.1:1', port: Number(new URL(proxy.url).port) }
    await expect(startTcpProxy(inUse)).rejects.toThrow(/^port: .* in use/)
  })
})
