import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from 'svc-streams'
import { expect, it, onTestFinished } from 'vitest'
import { ManualTransport, type ManualSocket } from '../../support/manual-transport.js'
import { eventually } from '../../support/time/eventually.js'

const [a, b, c] = ['svc-0xaa', 'svc-0xbb', 'svc-0xcc'] as const

/** Delivers a frame as the default transport does: as bytes, and as text unless the client has handled those. */
const deliver = (socket: ManualSocket, text: string): void => {
  if (!socket.listener.bytes(Buffer.from(text), 0, text.length)) socket.deliver(text)
}

const frames: readonly string[] = [
  // A price with an age confirms its topic.
  JSON.stringify({ topic: c, price: 1, age: 0 }),
  JSON.stringify({ subscriptions: [a, c] }),
  ...[1, 2, 3].flatMap((price) => [a, c].map((topic) => JSON.stringify({ topic, price }))),
  'svc does not support the pair (0xbb, 0xdd)',
  'another text',
  JSON.stringify({ topic: a, price: -1 }),
  JSON.stringify({ topic: c, price: 4 }),
]

it.each([
  'connecting',
  'connected',
  'subscribed',
  'rejected',
  'uncorrelated',
  'decode-error',
  'disconnected',
])('emits no event after a subscriber of the channel %s has closed the client', async (name) => {
  const transport = new ManualTransport()
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://localhost:3000',
    webSocket: transport,
  })
  const events: unknown[] = []
  let completions = 0
  let eventsAtClose: number | undefined
  const close = (): void => {
    eventsAtClose ??= events.length
    void client.close()
  }
  subscribe(`svc-streams:${name}`, close)
  onTestFinished(() => {
    unsubscribe(`svc-streams:${name}`, close)
  })
  for (const topic of [a, b, c])
    client.price$(topic).subscribe({
      next: (event) => events.push(isRight(event) ? event.right.price : event.left._tag),
      complete: () => completions++,
    })
  await eventually(() => expect(transport.sockets.length + completions).toBeGreaterThan(0))
  const socket = transport.sockets[0]
  if (socket?.state === 'connecting') socket.open()
  await eventually(() => expect((socket?.frames.length ?? 0) + completions).toBeGreaterThanOrEqual(3))
  for (const frame of frames) if (socket?.state === 'open') deliver(socket, frame)
  if (socket?.state === 'open') socket.drop()
  await eventually(() => expect(completions).toBe(3))
  expect(events.length).toBe(eventsAtClose)
  for (const event of events) expect([1, 2, 3, 4, 'SubscriptionRejected', 'DecodeError']).toContain(event)
})
