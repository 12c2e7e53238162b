import type { ClientOptions } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import type { Socket, WebSocketTransport } from '../../../src/wire/transport/ports.js'
import { collectEvents } from '../../support/collect-events.js'
import { createManualClient, ManualTransport } from '../../support/manual-transport.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

const throwing = (): never => {
  throw new Error('thrown by the transport')
}

/** A manual transport whose first socket throws in one method. */
const transportThatThrowsIn = (method: keyof Socket) => {
  const manual = new ManualTransport({ answersPings: () => false })
  const transport: WebSocketTransport = {
    dial: (url, options, listener) => {
      const socket = manual.dial(url, options, listener)
      if (manual.sockets.length > 1) return socket
      const bound: Socket = {
        send: (frame) => socket.send(frame),
        ping: (payload: string) => socket.ping?.(payload),
        close: () => socket.close(),
        terminate: () => socket.terminate(),
      }
      return { ...bound, [method]: throwing }
    },
    close: () => Promise.resolve(),
  }
  return { manual, transport }
}

describe('a transport that throws', () => {
  it.each(['send', 'ping', 'terminate'] as const)('in %s is reconnected', (method) => {
    const { manual, transport } = transportThatThrowsIn(method)
    runInVirtualTime(
      ({ at }) => {
        const options: Partial<ClientOptions> = { pingInterval: 100, pongTimeout: 50, webSocket: transport }
        const { client } = createManualClient(options, manual)
        const events = collectEvents(client.price$('svc-0xaa'))
        at(1, () => manual.lastSocket.open())
        at(1000, () => {
          expect(events.tags()).toContain('Disconnected')
          expect(manual.sockets.length).toBeGreaterThan(1)
          void client.close()
        })
      },
      { endsAt: 2000 },
    )
    expect.assertions(2)
  })

  it('in close lets the client close', async () => {
    const { manual, transport } = transportThatThrowsIn('close')
    const { client } = createManualClient({ webSocket: { ...transport, close: throwing } }, manual)
    client.price$('svc-0xaa').subscribe()
    await Promise.resolve()
    await expect(client.close()).resolves.toBeUndefined()
  })
})
