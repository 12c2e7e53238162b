import { Outbox } from '../../../src/gateway/prices/outbox.js'
import { Session, type SessionConfig } from '../../../src/gateway/prices/session.js'

/** A session over a socket that the test observes. */
export interface ManualSession {
  readonly session: Session
  /** The payloads of the written frames, each shorter than 64 KiB, and the calls of the WebSocket. */
  readonly log: readonly string[]
  /** Sets the number of unsent bytes. */
  readonly setUnsent: (bytes: number) => void
}

export const createManualSession = (config: Partial<SessionConfig> = {}): ManualSession => {
  const log: string[] = []
  let writableLength = 0
  const webSocket = {
    readyState: 1,
    OPEN: 1,
    ping: (payload: string) => void log.push(`ping ${payload}`),
    pong: (payload: Buffer) => void log.push(`pong ${payload.toString()}`),
    close: (code?: number, reason?: string | Buffer) => {
      webSocket.readyState = 2
      log.push(`close ${code} ${String(reason)}`)
    },
    terminate: () => void log.push('terminate'),
  } as const satisfies Record<string, unknown> as { readyState: 1 | 2; OPEN: 1 } & Record<
    'ping' | 'pong' | 'close' | 'terminate',
    () => void
  >
  const socket = {
    write: (bytes: Uint8Array) => {
      log.push(...payloadsOf(Buffer.from(bytes)))
      return true
    },
    get writableLength() {
      return writableLength
    },
  }
  const session = new Session(webSocket, socket, {
    outbox: new Outbox(),
    maxBufferedBytes: 1000,
    now: () => 0,
    onLeft: () => undefined,
    onBehind: () => log.push('behind'),
    onCaughtUp: () => log.push('caught up'),
    ...config,
  })
  return { session, log, setUnsent: (bytes) => (writableLength = bytes) }
}

const payloadsOf = (bytes: Buffer): readonly string[] => {
  const payloads: string[] = []
  for (let at = 0; at < bytes.length;) {
    const isMedium = bytes[at + 1] === 126
    const start = at + (isMedium ? 4 : 2)
    const end = start + (isMedium ? bytes.readUInt16BE(at + 2) : (bytes[at + 1] ?? 0))
    payloads.push(bytes.toString('utf8', start, end))
    at = end
  }
  return payloads
}
