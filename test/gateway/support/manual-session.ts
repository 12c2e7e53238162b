import { right } from 'fp-ts/lib/Either.js'
import { NEVER } from 'rxjs'
import type { PriceClient, Topic } from 'svc-streams'
import { setPriceFeed, type PriceFeed } from '../../../src/client/price-feed.js'
import { Connection, type ConnectionConfig } from '../../../src/gateway/websocket/connection.js'
import { Outbox } from '../../../src/gateway/websocket/outbox.js'
import { asciiFrame } from '../../../src/gateway/websocket/text-frame.js'
import { Sessions } from '../../../src/gateway/subscriptions/sessions.js'
import type { TopicFeed } from '../../../src/gateway/subscriptions/topic-feed.js'
import { currentClock } from '../../../src/base/time/clock.js'
import { unboundedFeed } from './unbounded-feed.js'

/** The sessions of a gateway whose service the test controls. */
export const createManualSessions = (feed: PriceFeed): Sessions<Connection> => {
  const client = { status$: NEVER } as unknown as PriceClient
  setPriceFeed(client, { ...feed, whenSendable: () => () => undefined, requestTimeout$: NEVER })
  return new Sessions<Connection>(client, {
    clock: currentClock(),
    service: 'svc',
    noun: 'connection',
    isDown: () => false,
    maxConnections: 10,
    maxTopicsPerConnection: 1_000,
    report: () => undefined,
    encode: asciiFrame,
    send: (topic, frame) => topic.consumers.forEach((each) => each.send(frame, topic)),
    sendUndecodable: (topic, payload) => topic.consumers.forEach((each) => each.sendText(payload)),
  })
}

const unconfirmed = { isConfirmed: false, start: () => undefined } as unknown as TopicFeed<Connection>

/** A session over a socket that the test observes. */
export interface ManualSession {
  readonly session: Connection
  /** The payloads of the written frames, each shorter than 64 KiB, and the calls of the WebSocket. */
  readonly log: readonly string[]
  /** Sets the number of unsent bytes. */
  readonly setUnsent: (bytes: number) => void
}

type SessionOptions = Partial<Omit<ConnectionConfig, 'feed'> & ConnectionConfig['feed']>

export const createManualSession = (options: SessionOptions = {}): ManualSession => {
  const { isUpToDate = () => true, requestProbe = unboundedFeed.requestProbe, ...config } = options
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
  const session = new Connection(webSocket, socket, {
    outbox: new Outbox(),
    maxBufferedBytes: 1000,
    now: () => 0,
    feed: { isBounded: () => true, isUpToDate, requestProbe },
    sessions: {
      topicOf: (topic) => right(topic as Topic),
      subscribe: () => right({ feed: unconfirmed, isRepeated: true }),
      unsubscribe: () => undefined,
      leaveTopics: () => undefined,
    },
    report: (name) => void log.push(name === 'svc-streams:gateway-behind' ? 'behind' : 'caught up'),
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
