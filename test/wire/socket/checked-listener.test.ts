import { isLeft } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { SocketListener } from '../../../src/wire/transport/ports.js'
import { collectEvents } from '../../support/collect-events.js'
import { createManualClient, ManualTransport } from '../../support/manual-transport.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

type Call = (listener: Record<keyof SocketListener, (...values: unknown[]) => void>) => void

/** The first `Disconnected` after a call of an open socket's listener, as a transport in plain JavaScript may make it. */
const afterCall = (call: Call) => {
  const manual = new ManualTransport()
  let disconnected: unknown
  let sockets = 0
  runInVirtualTime(
    ({ at }) => {
      const { client } = createManualClient({}, manual)
      const events = collectEvents(client.price$('svc-0xaa'))
      at(1, () => manual.lastSocket.open())
      at(2, () => call(manual.lastSocket.listener as never))
      at(60_000, () => {
        disconnected = events.events.filter(isLeft).map(({ left }) => left)[0]
        sockets = manual.sockets.length
        void client.close()
      })
    },
    { endsAt: 60_001 },
  )
  return { disconnected, sockets }
}

describe('a transport', () => {
  it.each<[string, Call, object]>([
    ['without a code and a reason', ({ closed }) => closed(), { code: 1006, reason: '' }],
    ['with a reason of a wrong type', ({ closed }) => closed(1000, {}), { code: 1000, reason: '' }],
    ['with a code of a wrong type', ({ closed }) => closed('1000', 'x'), { code: 1006, reason: 'x' }],
    ['with a refusal without headers', ({ closed }) => closed(1006, 'x', { status: 503 }), { reason: 'x' }],
  ])('that reports a close %s is reconnected', (_, call, expected) => {
    const { disconnected, sockets } = afterCall(call)
    expect(disconnected).toMatchObject({ _tag: 'Disconnected', ...expected })
    expect(sockets).toBeGreaterThan(1)
  })

  it.each<[string, Call, string]>([
    ['text', ({ text }) => text(undefined), 'the transport passed a text frame that is not a string'],
    ['binary', ({ binary }) => binary('x'), 'the transport passed a binary frame that is not a Uint8Array'],
  ])('that passes a %s frame of a wrong type is reconnected', (_, call, reason) => {
    const { disconnected, sockets } = afterCall(call)
    expect(disconnected).toMatchObject({ _tag: 'Disconnected', reason })
    expect(sockets).toBeGreaterThan(1)
  })
})
