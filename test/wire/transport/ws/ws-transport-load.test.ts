import { describe, expect, it } from 'vitest'
import { loadOnce, type WsPackage } from '../../../../src/wire/transport/packages.js'
import { wsTransport } from '../../../../src/wire/transport/ws/ws-transport.js'
import { collectEvents } from '../../../support/collect-events.js'
import { createManualClient } from '../../../support/manual-transport.js'
import { eventually } from '../../../support/time/eventually.js'
import { createTimedLog } from '../../../support/time/timed-log.js'
import { runInVirtualTime } from '../../../support/time/virtual-time.js'
import { ManualLoad } from '../support/manual-load.js'
import { recordingListener } from '../support/recording-listener.js'
import { fakeModules } from './support/fake-web-socket.js'

const topic = 'svc-0xaa'
const url = 'ws://localhost:4000/'

const setUp = () => {
  const load = new ManualLoad<WsPackage>()
  const { modules, sockets } = fakeModules()
  const transport = wsTransport(loadOnce(load.start), undefined)
  const listener = recordingListener()
  const dial = () => transport.dial(url, { maxFrameBytes: 100 }, listener)
  const whenDialled = async (count = 1) => {
    await eventually(() => expect(sockets).toHaveLength(count))
    const socket = sockets[count - 1]
    if (socket === undefined) throw new Error('not dialled')
    return socket
  }
  return { load, modules, sockets, transport, listener, dial, whenDialled }
}

/** A client whose transport is loaded by its first dial. */
const createLazyClient = () => {
  const { transport, ...others } = setUp()
  const reconnect = { initialDelay: 1, maxDelay: 1 }
  const { client } = createManualClient({ webSocket: transport, connectTimeout: 100, reconnect })
  return { client, transport, ...others }
}

describe('wsTransport', () => {
  it('loads once, when the first socket is dialled', async () => {
    const { load, modules, dial, whenDialled } = setUp()
    expect(load.starts).toBe(0)
    dial()
    dial()
    expect(load.starts).toBe(1)
    load.succeed(modules)
    await whenDialled(2)
    dial()
    expect(await whenDialled(3)).toMatchObject({ url, options: { maxPayload: 100 } })
    expect(load.starts).toBe(1)
  })

  it('passes the calls of a socket on once it is open', async () => {
    const { load, modules, dial, listener, whenDialled } = setUp()
    const socket = dial()
    socket.send('too early')
    socket.ping?.('1')
    expect(socket.bufferedAmount).toBe(0)
    load.succeed(modules)
    const dialled = await whenDialled()
    socket.send('still too early')
    dialled.open()
    socket.send('frame')
    socket.ping?.('1')
    expect(socket.bufferedAmount).toBe(5)
    socket.close()
    socket.send('too late')
    expect(dialled.calls).toEqual(['send frame', 'ping 1', 'close'])
    expect(listener.events).toEqual([['opened'], ['closed', 1000, 'closed by the service']])
  })

  it.each(['close', 'terminate'] as const)('does not dial after %s during the load', async (end) => {
    const { load, modules, sockets, dial, listener } = setUp()
    dial()[end]()
    load.succeed(modules)
    await listener.whenClosed
    expect(listener.events).toEqual([['closed', 1006, 'closed before it was dialled']])
    expect(sockets).toEqual([])
  })

  it('reports a failed load as a failed dial, and loads again', async () => {
    const { load, modules, dial, listener, whenDialled } = setUp()
    dial()
    load.fail('no such package')
    await listener.whenClosed
    expect(listener.events).toEqual([['closed', 1006, 'no such package']])
    dial()
    expect(load.starts).toBe(2)
    load.succeed(modules)
    await whenDialled()
  })

  it('reports a dial that throws after the load', async () => {
    const { load, modules, dial, listener } = setUp()
    dial()
    function Throwing(): never {
      throw new Error('no dial')
    }
    load.succeed({ ...modules, WebSocket: Throwing as unknown as WsPackage['WebSocket'] })
    await listener.whenClosed
    expect(listener.events).toEqual([['closed', 1006, 'no dial']])
  })

  it('dials nothing when it is closed during the load, and closes when the load ends', async () => {
    const { load, modules, sockets, transport, dial, listener } = setUp()
    dial()
    let isClosed = false
    const closed = transport.close().then(() => (isClosed = true))
    await Promise.resolve()
    expect(isClosed).toBe(false)
    load.succeed(modules)
    await closed
    expect(sockets).toEqual([])
    expect(listener.events).toEqual([['closed', 1006, 'closed before it was dialled']])
  })
})

describe('a client whose transport is loading', () => {
  it('dials after the load, once for all its subscribers', async () => {
    const { client, load, modules, whenDialled } = createLazyClient()
    const first = collectEvents(client.price$(topic))
    const second = collectEvents(client.price$('svc-0xbb'))
    await eventually(() => expect(load.starts).toBe(1))
    load.succeed(modules)
    const socket = await whenDialled()
    socket.open()
    const frames = () => socket.calls.filter((call) => call.startsWith('send'))
    await eventually(() => expect(frames()).toHaveLength(2))
    socket.deliver({ subscriptions: [topic, 'svc-0xbb'] })
    socket.deliver({ topic, price: 1 })
    socket.deliver({ topic: 'svc-0xbb', price: 2 })
    await eventually(() => expect([...first.tags(), ...second.tags()]).toEqual(['Right', 'Right']))
    await client.close()
  })

  it('dials nothing for a subscriber that leaves during the load', async () => {
    const { client, load, modules, sockets, transport } = createLazyClient()
    const subscription = client.price$(topic).subscribe()
    await eventually(() => expect(load.starts).toBe(1))
    subscription.unsubscribe()
    load.succeed(modules)
    await client.close()
    await transport.close()
    expect(sockets).toEqual([])
  })

  it('dials nothing when it is closed during the load, and its streams complete', async () => {
    const { client, load, modules, sockets } = createLazyClient()
    const prices = collectEvents(client.price$(topic))
    await eventually(() => expect(load.starts).toBe(1))
    const closed = client.close()
    expect(prices.isComplete()).toBe(true)
    load.succeed(modules)
    await closed
    expect(sockets).toEqual([])
  })

  it('is Disconnected when the load fails, and loads again at the next dial', async () => {
    const { client, load, modules, whenDialled } = createLazyClient()
    const prices = collectEvents(client.price$(topic))
    await eventually(() => expect(load.starts).toBe(1))
    load.fail('no such package')
    await eventually(() => expect(load.starts).toBe(2))
    expect(prices.events).toMatchObject([{ left: { _tag: 'Disconnected', reason: 'no such package' } }])
    load.succeed(modules)
    await whenDialled()
    await client.close()
  })

  it('counts the load toward connectTimeout, and dials no socket that timed out', async () => {
    const { load, modules, sockets, transport } = setUp()
    const log: string[] = []
    runInVirtualTime((time) => {
      const { client } = createManualClient({ webSocket: transport, connectTimeout: 100 })
      const timedLog = createTimedLog(time)
      client.price$(topic).subscribe(timedLog.observer('price'))
      time.at(150, () => {
        log.push(...timedLog.lines)
        void client.close()
      })
    })
    expect(log).toEqual(['100 price: Disconnected 1'])
    load.succeed(modules)
    await transport.close()
    expect(sockets).toEqual([])
  })
})
