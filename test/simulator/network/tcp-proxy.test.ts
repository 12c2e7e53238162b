import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { SimulatorError, startTcpProxy, type TcpProxy, type TcpProxyOptions } from 'svc-streams/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.js'
import { closing } from '../../support/service.js'
import { deafPort, tcpServer } from '../../transport/support/servers.js'

/** One end of a connection, and what it has received. */
interface End {
  readonly socket: Socket
  readonly received: () => Buffer
  readonly events: string[]
}

const endOf = (socket: Socket): End => {
  const chunks: Buffer[] = []
  const events: string[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('end', () => events.push('end'))
  socket.on('error', (error: NodeJS.ErrnoException) => events.push(error.code ?? error.name))
  socket.on('close', () => events.push('close'))
  onTestFinished(() => void socket.destroy())
  return { socket, received: () => Buffer.concat(chunks), events }
}

const dial = (port: number): End =>
  endOf(connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true }))

interface Scene {
  readonly proxy: TcpProxy
  readonly client: End
  /** The service's ends, in the order in which they came. */
  readonly service: readonly End[]
  /** Goes past the proxy, there and back: what was sent before has had its time. */
  readonly elsewhere: () => Promise<void>
}

const start = async (): Promise<Scene> => {
  const service: End[] = []
  const port = await tcpServer((socket) => service.push(endOf(socket.setNoDelay())))
  const proxy = closing(await startTcpProxy({ target: `tcp://127.0.0.1:${port}` }))
  const client = dial(Number(new URL(proxy.url).port))
  await eventually(() => expect(service).toHaveLength(1))
  const echo = await tcpServer((socket) => void socket.pipe(socket))
  const elsewhere = async (): Promise<void> => {
    const { socket } = dial(echo)
    for (let count = 0; count < 20; count++) {
      socket.write('x')
      await once(socket, 'data')
    }
  }
  return { proxy, client, service, elsewhere }
}

describe('a network that is well', () => {
  it('carries all data both ways, in order, and the end of each', async () => {
    const { client, service } = await start()
    const bytes = Buffer.from(Uint32Array.from({ length: 500_000 }, (_, index) => index).buffer)
    client.socket.write(bytes)
    service[0]!.socket.write(bytes)
    client.socket.end()
    await eventually(() => expect(service[0]!.events).toContain('end'))
    await eventually(() => expect(client.received().length).toBe(bytes.length))
    expect(client.received().equals(bytes)).toBe(true)
    expect(service[0]!.received().equals(bytes)).toBe(true)
    // The other way is open still.
    service[0]!.socket.end('goodbye')
    await eventually(() => expect(client.events).toContain('end'))
    expect(client.received().subarray(bytes.length).toString()).toBe('goodbye')
  })

  it('passes on that one end is gone', async () => {
    const { proxy, client, service } = await start()
    service[0]!.socket.resetAndDestroy()
    await eventually(() => expect(client.events).toContain('close'))
    await eventually(() => expect(proxy.connections).toBe(0))
  })

  it('ends a connection that the service refuses', async () => {
    const port = await deafPort()
    const proxy = closing(await startTcpProxy({ target: `ws://127.0.0.1:${port}` }))
    const { events } = dial(Number(new URL(proxy.url).port))
    await eventually(() => expect(events).toContain('close'))
  })

  it('has an address like that of the service', async () => {
    const proxy = closing(await startTcpProxy({ target: 'ws://127.0.0.1:1/prices?key=1' }))
    expect(proxy.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/prices\?key=1$/)
  })
})

describe('a network that is told to', () => {
  it('delays: what goes past it is faster', async () => {
    const { proxy, client, service, elsewhere } = await start()
    proxy.delay(1500)
    client.socket.write('late')
    await elsewhere()
    expect(service[0]!.received()).toHaveLength(0)
    await eventually(() => expect(service[0]!.received().toString()).toBe('late'))
  })

  it('cuts, and takes new connections', async () => {
    const { proxy, client, service } = await start()
    proxy.cut()
    await eventually(() => expect(client.events).toEqual(['end']))
    await eventually(() => expect(service[0]!.events).toContain('end'))
    dial(Number(new URL(proxy.url).port)).socket.write('again')
    await eventually(() => expect(service[1]?.received().toString()).toBe('again'))
  })

  it('resets', async () => {
    const { proxy, client } = await start()
    client.socket.write('x')
    proxy.reset()
    await eventually(() => expect(client.events).toEqual(['ECONNRESET', 'close']))
  })

  it('freezes: nothing comes and nothing ends, not on new connections either, until it heals', async () => {
    const { proxy, client, service, elsewhere } = await start()
    proxy.freeze()
    service[0]!.socket.write('frozen')
    service[0]!.socket.end()
    const late = dial(Number(new URL(proxy.url).port))
    await once(late.socket, 'connect')
    late.socket.write('deaf')
    await elsewhere()
    expect(client.received()).toHaveLength(0)
    expect([client.events, late.events]).toEqual([[], []])
    expect(service[1]?.received() ?? []).toHaveLength(0)
    proxy.heal()
    await eventually(() => expect(client.received().toString()).toBe('frozen'))
    await eventually(() => expect(client.events).toContain('end'))
    await eventually(() => expect(service[1]?.received().toString()).toBe('deaf'))
  })

  it.each(['up', 'down'] as const)('corrupts a single bit of what goes %s next', async (direction) => {
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

  it('heals: what was to be corrupted is not, nothing is late, and what was comes at once', async () => {
    const { proxy, client, service, elsewhere } = await start()
    proxy.delay(60_000)
    proxy.corrupt('down')
    client.socket.write('late, ')
    await elsewhere()
    proxy.heal()
    await eventually(() => expect(service[0]!.received().toString()).toBe('late, '))
    client.socket.write('then well')
    await eventually(() => expect(service[0]!.received().toString()).toBe('late, then well'))
    service[0]!.socket.write('well')
    await eventually(() => expect(client.received().toString()).toBe('well'))
  })

  it('closes, frozen or not, more than once', async () => {
    const { proxy, client } = await start()
    proxy.freeze()
    await Promise.all([proxy.close(), proxy.close()])
    await eventually(() => expect(client.events).toContain('end'))
    await proxy.close()
  })
})

describe('what it cannot start with', () => {
  it.each(['nowhere', 'tcp://127.0.0.1'])('is refused: a target like %s', async (target) => {
    await expect(startTcpProxy({ target })).rejects.toThrow(SimulatorError)
    await expect(startTcpProxy({ target })).rejects.toThrow(/^target: /)
  })

  it.each([
    ['port', { port: 70_000 }],
    ['port', { port: 'abc' }],
    ['seed', { seed: NaN }],
    ['delay', { delay: 5 }],
    ['options', null],
  ])('is refused: a %s like that of %o', async (name, options) => {
    const given = (options && { target: 'ws://127.0.0.1:1', ...options }) as TcpProxyOptions
    await expect(startTcpProxy(given)).rejects.toThrow(SimulatorError)
    await expect(startTcpProxy(given)).rejects.toThrow(new RegExp(`^${name}: `))
  })

  it('is refused: a port that is taken', async () => {
    const { proxy } = await start()
    const taken = { target: 'ws://127.0.0.1:1', port: Number(new URL(proxy.url).port) }
    await expect(startTcpProxy(taken)).rejects.toThrow(/^port: .* in use/)
  })
})
