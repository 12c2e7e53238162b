import { describe, expect, it } from 'vitest'
import { lazyWebSocketTransport } from '../../../../src/wire/platform/node.js'
import type { WebSocketTransport } from '../../../../src/wire/transport/ports.js'
import { collectEvents } from '../../../support/collect-events.js'
import { createManualClient, ManualTransport } from '../../../support/manual-transport.js'
import { eventually } from '../../../support/time/eventually.js'
import { createTimedLog } from '../../../support/time/timed-log.js'
import { runInVirtualTime } from '../../../support/time/virtual-time.js'
import { recordingListener } from '../../transport/support/recording-listener.js'
import { ManualLoad } from './support/manual-load.js'

const topic = 'svc-0xaa'
const url = 'ws://localhost:4000'

const setUp = () => {
  const load = new ManualLoad<WebSocketTransport>()
  const manual = new ManualTransport({ bytesPerFrame: 10 })
  const transport = lazyWebSocketTransport(load.start)
  const listener = recordingListener()
  const dial = () => transport.dial(url, { maxFrameBytes: 100 }, listener)
  const whenDialled = (count = 1) => eventually(() => expect(manual.sockets).toHaveLength(count))
  return { load, manual, transport, listener, dial, whenDialled }
}

/** A client whose transport is loaded by its first dial. */
const createLazyClient = () => {
  const { transport, ...others } = setUp()
  const { client } = createManualClient({ webSocket: transport, connectTimeout: 100 })
  return { client, transport, ...others }
}

describe('lazyWebSocketTransport', () => {
  it('loads once, when the first socket is dialled', async () => {
    const { load, manual, dial, whenDialled } = setUp()
    expect(load.starts).toBe(0)
    dial()
    dial()
    expect(load.starts).toBe(1)
    load.succeed(manual)
    await whenDialled(2)
    expect(manual.lastSocket).toMatchObject({ url, dialOptions: { maxFrameBytes: 100 } })
    dial()
    expect(manual.sockets).toHaveLength(3)
    expect(load.starts).toBe(1)
  })

  it('passes every call of a socket on once it is dialled', async () => {
    const { load, manual, dial, listener, whenDialled } = setUp()
    const socket = dial()
    socket.send('too early')
    socket.ping?.('1')
    expect(socket.bufferedAmount).toBe(0)
    load.succeed(manual)
    await whenDialled()
    const dialled = manual.lastSocket
    dialled.open()
    dialled.isRead = false
    socket.send('frame')
    socket.ping?.('1')
    expect(dialled).toMatchObject({ frames: ['frame'], pings: 1 })
    expect(socket.bufferedAmount).toBe(16)
    socket.close()
    socket.terminate()
    expect(dialled.endCalls).toEqual(['close', 'terminate'])
    expect(listener.events).toEqual([['opened'], ['alive'], ['closed', 1000, '']])
  })

  it.each(['close', 'terminate'] as const)('does not dial after %s during the load', async (end) => {
    const { load, manual, dial, listener } = setUp()
    dial()[end]()
    load.succeed(manual)
    await listener.whenClosed
    expect(listener.events).toEqual([['closed', 1006, 'closed before it was dialled']])
    expect(manual.sockets).toEqual([])
  })

  it('reports a failed load as a failed dial, and loads again', async () => {
    const { load, manual, dial, listener, whenDialled } = setUp()
    dial()
    load.fail('no such package')
    await listener.whenClosed
    expect(listener.events).toEqual([['closed', 1006, 'no such package']])
    dial()
    expect(load.starts).toBe(2)
    load.succeed(manual)
    await whenDialled()
  })

  it('reports a dial that throws after the load', async () => {
    const { load, dial, listener } = setUp()
    dial()
    const throwing = () => {
      throw new Error('no dial')
    }
    load.succeed({ dial: throwing, close: () => Promise.resolve() })
    await listener.whenClosed
    expect(listener.events).toEqual([['closed', 1006, 'no dial']])
  })

  it('dials nothing when it is closed during the load, and closes when the load ends', async () => {
    const { load, manual, transport, dial, listener } = setUp()
    dial()
    let isClosed = false
    const closed = transport.close().then(() => (isClosed = true))
    await Promise.resolve()
    expect(isClosed).toBe(false)
    load.succeed(manual)
    await closed
    expect(manual.sockets).toEqual([])
    expect(listener.events).toEqual([['closed', 1006, 'the transport is closed']])
  })
})

describe('a client whose transport is loading', () => {
  it('dials after the load, once for all its subscribers', async () => {
    const { client, load, manual, whenDialled } = createLazyClient()
    const first = collectEvents(client.price$(topic))
    const second = collectEvents(client.price$('svc-0xbb'))
    await eventually(() => expect(load.starts).toBe(1))
    load.succeed(manual)
    await whenDialled()
    manual.lastSocket.open()
    await eventually(() => expect(manual.lastSocket.frames).toHaveLength(2))
    manual.lastSocket.deliverConfirmation(topic, 'svc-0xbb')
    manual.lastSocket.deliverPrice(topic, 1)
    manual.lastSocket.deliverPrice('svc-0xbb', 2)
    await eventually(() => expect([...first.tags(), ...second.tags()]).toEqual(['Right', 'Right']))
    await client.close()
  })

  it('dials nothing for a subscriber that leaves during the load', async () => {
    const { client, load, manual, transport } = createLazyClient()
    const subscription = client.price$(topic).subscribe()
    await eventually(() => expect(load.starts).toBe(1))
    subscription.unsubscribe()
    load.succeed(manual)
    await client.close()
    await transport.close()
    expect(manual.sockets).toEqual([])
  })

  it('dials nothing when it is closed during the load, and its streams complete', async () => {
    const { client, load, manual } = createLazyClient()
    const prices = collectEvents(client.price$(topic))
    await eventually(() => expect(load.starts).toBe(1))
    const closed = client.close()
    expect(prices.isComplete()).toBe(true)
    load.succeed(manual)
    await closed
    expect(manual.sockets).toEqual([])
  })

  it('is Disconnected when the load fails, and loads again at the next dial', async () => {
    const { load, manual, transport, whenDialled } = setUp()
    const reconnect = { baseDelay: 1, maxDelay: 1 }
    const { client } = createManualClient({ webSocket: transport, reconnect })
    const prices = collectEvents(client.price$(topic))
    await eventually(() => expect(load.starts).toBe(1))
    load.fail('no such package')
    await eventually(() => expect(load.starts).toBe(2))
    expect(prices.events).toMatchObject([{ left: { _tag: 'Disconnected', reason: 'no such package' } }])
    load.succeed(manual)
    await whenDialled()
    await client.close()
  })

  it('counts the load toward connectTimeout, and dials no socket that timed out', async () => {
    const { load, manual, transport } = setUp()
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
    load.succeed(manual)
    await transport.close()
    expect(manual.sockets).toEqual([])
  })
})
