import { expect, onTestFinished, vi } from 'vitest'
import type { Socket, WebSocketTransport } from '../../../../../src/wire/transport/ports.js'
import { wsTransport } from '../../../../../src/wire/transport/ws/ws-transport.js'
import { recordingListener, type RecordingListener } from '../../support/recording-listener.js'

/** The default of `dial`. */
export const defaultMaxFrameBytes = 1000

/** A transport that is closed at the end of the test. */
export const transportOf = (ca?: string): WebSocketTransport => {
  const transport = wsTransport(ca)
  onTestFinished(() => transport.close())
  return transport
}

export interface Dialled {
  readonly transport: WebSocketTransport
  readonly socket: Socket
  readonly recorded: RecordingListener
}

export const dial = (
  url: string,
  transport = transportOf(),
  maxFrameBytes = defaultMaxFrameBytes,
): Dialled => {
  const recorded = recordingListener()
  const socket = transport.dial(url, { maxFrameBytes }, recorded)
  return { transport, socket, recorded }
}

/** Expects `closed` as the last event, once, also after later calls of the socket. */
export const expectClosedOnce = async ({ transport, socket, recorded }: Dialled): Promise<void> => {
  await recorded.whenClosed
  socket.close()
  socket.terminate()
  socket.send('late')
  socket.ping?.('1')
  await transport.close()
  expect(recorded.events.filter(([what]) => what === 'closed')).toHaveLength(1)
  expect(recorded.events.at(-1)?.[0]).toBe('closed')
}

/** Stops `setTimeout` until the end of the test: what happens then needs no timer. */
export const freezeTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}
