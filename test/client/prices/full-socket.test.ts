import type { ClientOptions, PriceClient } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { collectEvents } from '../../support/collect-events.js'
import { createManualClient, ManualTransport, type ManualSocket } from '../../support/manual-transport.js'
import { a, b, subscribeFrame, unsubscribeFrame } from '../../support/time/marbles.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'

interface Scenario extends VirtualTime {
  readonly client: PriceClient
  /** An open socket with one frame, for topic `a`, whose buffer is full. The service does not read. */
  readonly socket: ManualSocket
  readonly transport: ManualTransport
}

const runOnFullSocket = (scenario: (scenario: Scenario) => void, options: Partial<ClientOptions> = {}) => {
  const transport = new ManualTransport({
    bytesPerFrame: 40_000,
    onDial: (socket) => (socket.isRead = transport.sockets.length > 1),
  })
  const pendingTimers = runInVirtualTime((virtual) => {
    const { client } = createManualClient({ linger: 0, ...options }, transport)
    const kept = client.price$(a).subscribe()
    virtual.at(0, () => transport.lastSocket.open())
    virtual.at(1, () => {
      transport.lastSocket.deliverConfirmation(a)
      scenario({ ...virtual, client, socket: transport.lastSocket, transport })
    })
    virtual.at(90_000, () => {
      kept.unsubscribe()
      void client.close()
    })
  })
  expect(pendingTimers).toBe(0)
}

describe('a full socket', () => {
  it('keeps frames back, and receives them when it has drained', () => {
    runOnFullSocket(({ at, client, socket }) => {
      client.price$(b).subscribe()
      at(1000, () => {
        expect(socket.frames).toEqual([subscribeFrame(a)])
        socket.drain()
      })
      at(1010, () => expect(socket.frames).toEqual([subscribeFrame(a), subscribeFrame(b)]))
    })
    expect.assertions(3)
  })

  it('receives no frame for topics that come and go meanwhile', () => {
    runOnFullSocket(({ at, client, socket }) => {
      for (let time = 2; time < 1000; time++) {
        const topic = `svc-0x${time.toString(16)}` as const
        at(time, () => {
          const subscription = client.price$(topic).subscribe()
          at(time + 3, () => subscription.unsubscribe())
        })
      }
      at(1010, () => {
        expect(client.inspect().topics.map(({ topic }) => topic)).toEqual([a])
        socket.drain()
      })
      at(1020, () => expect(socket.frames).toEqual([subscribeFrame(a)]))
    })
    expect.assertions(3)
  })

  it('receives no frame for a requested topic that goes and comes back meanwhile', () => {
    runOnFullSocket(({ at, client, socket }) => {
      socket.drain()
      const first = client.price$(b).subscribe()
      at(3, () => expect(socket.frames).toEqual([subscribeFrame(a), subscribeFrame(b)]))
      at(4, () => first.unsubscribe())
      at(100, () => client.price$(b).subscribe())
      at(1000, () => socket.drain())
      at(1010, () => expect(socket.frames).toEqual([subscribeFrame(a), subscribeFrame(b)]))
    })
    expect.assertions(3)
  })

  it('receives one unsubscribe frame for a requested topic that goes', () => {
    runOnFullSocket(({ at, client, socket }) => {
      socket.drain()
      const first = client.price$(b).subscribe()
      at(4, () => first.unsubscribe())
      at(1000, () => socket.drain())
      at(1010, () => expect(socket.frames.slice(2)).toEqual([unsubscribeFrame(b)]))
    })
    expect.assertions(2)
  })

  it('does not start the confirmation timeout of a topic whose frame is kept back', () => {
    const options = { confirmTimeout: 500 }
    runOnFullSocket(({ at, client, socket }) => {
      const { tags } = collectEvents(client.price$(b))
      at(1000, () => socket.drain())
      at(1400, () => expect(tags()).toEqual([]))
      at(1510, () => expect(tags()).toEqual(['SubscriptionTimeout']))
    }, options)
    expect.assertions(3)
  })

  it('is replaced if it does not drain, and every wanted topic is requested on the next one', () => {
    runOnFullSocket(({ at, client, transport }) => {
      client.price$(b).subscribe()
      at(20_000, () => transport.lastSocket.open())
      at(20_010, () => {
        expect(transport.sockets.map(({ endCalls }) => endCalls[0])).toEqual(['terminate', undefined])
        expect(transport.lastSocket.frames).toEqual([subscribeFrame(a), subscribeFrame(b)])
      })
    })
    expect.assertions(3)
  })

  it('is closed without further frames when no topic remains', () => {
    runOnFullSocket(({ at, client, socket }) => {
      const subscription = client.price$(b).subscribe()
      at(500, () => subscription.unsubscribe())
      at(1000, () => void client.close())
      at(1001, () => {
        expect(socket.frames).toEqual([subscribeFrame(a)])
        expect(socket.endCalls).toEqual(['close'])
      })
    })
    expect.assertions(3)
  })
})
