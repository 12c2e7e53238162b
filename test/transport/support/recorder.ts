import type { SocketListener } from '../../../src/transport/ports.js'

export type SocketEvent =
  | readonly ['opened']
  | readonly ['text', string]
  | readonly ['binary', readonly number[]]
  | readonly ['alive']
  | readonly ['closed', code: number, reason: string]

export interface Recorder extends SocketListener {
  /** All that the listener was told, in order. */
  readonly events: readonly SocketEvent[]
  readonly isOpen: Promise<void>
  /** How it ended. */
  readonly gone: Promise<{ readonly code: number; readonly reason: string }>
}

/** A listener that remembers. */
export const recorder = (): Recorder => {
  const events: SocketEvent[] = []
  let open: () => void
  let end: (how: { code: number; reason: string }) => void
  const isOpen = new Promise<void>((resolve) => (open = resolve))
  const gone = new Promise<{ code: number; reason: string }>((resolve) => (end = resolve))
  return {
    events,
    isOpen,
    gone,
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
      end({ code, reason })
    },
  }
}
