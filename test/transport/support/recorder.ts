import type { SocketListener } from '../../../src/transport/ports.js'

export type SocketEvent =
  | readonly ['opened']
  | readonly ['text', string]
  | readonly ['binary', readonly number[]]
  | readonly ['alive']
  | readonly ['closed', code: number, reason: string]

export interface Recorder extends SocketListener {
  /** All events, in order. */
  readonly events: readonly SocketEvent[]
  readonly whenOpen: Promise<void>
  /** Resolves when the socket has closed. */
  readonly whenClosed: Promise<{ readonly code: number; readonly reason: string }>
}

/** A listener that records all events. */
export const recorder = (): Recorder => {
  const events: SocketEvent[] = []
  let open: () => void
  let close: (end: { code: number; reason: string }) => void
  const whenOpen = new Promise<void>((resolve) => (open = resolve))
  const whenClosed = new Promise<{ code: number; reason: string }>((resolve) => (close = resolve))
  return {
    events,
    whenOpen,
    whenClosed,
    opened() {
      events.push(['opened'])
      open()
    },
    bytes: () => false,
    text: (frame) => void events.push(['text', frame]),
    binary: (frame) => void events.push(['binary', [...frame]]),
    alive: () => void events.push(['alive']),
    closed(code, reason) {
      events.push(['closed', code, reason])
      close({ code, reason })
    },
  }
}
