import type { SocketListener } from '../../../../src/wire/transport/ports.js'

export type SocketEvent =
  | readonly ['opened']
  | readonly ['text', string]
  | readonly ['binary', readonly number[]]
  | readonly ['alive']
  | readonly ['closed', code: number, reason: string]

/** A listener that records all events. */
export interface RecordingListener extends SocketListener {
  /** In order. */
  readonly events: readonly SocketEvent[]
  readonly whenOpen: Promise<void>
  /** Resolves when the socket has closed. */
  readonly whenClosed: Promise<{ readonly code: number; readonly reason: string }>
}

export const recordingListener = (): RecordingListener => {
  const events: SocketEvent[] = []
  let resolveOpen: () => void
  let resolveClosed: (event: { code: number; reason: string }) => void
  const whenOpen = new Promise<void>((resolve) => (resolveOpen = resolve))
  const whenClosed = new Promise<{ code: number; reason: string }>((resolve) => (resolveClosed = resolve))
  return {
    events,
    whenOpen,
    whenClosed,
    opened() {
      events.push(['opened'])
      resolveOpen()
    },
    bytes: () => false,
    text: (frame) => void events.push(['text', frame]),
    binary: (frame) => void events.push(['binary', [...frame]]),
    alive: () => void events.push(['alive']),
    closed(code, reason) {
      events.push(['closed', code, reason])
      resolveClosed({ code, reason })
    },
  }
}
