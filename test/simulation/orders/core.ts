import { isLeft } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { Secrets } from '../../../src/wire/auth/secrets.js'
import type { ConnectionStatus } from '../../../src/base/domain/status.js'
import type { TopicSnapshot } from '../../../src/base/domain/snapshot.js'
import { ConnectionPool } from '../../../src/client/prices/connection-pool.js'
import type { PriceEvent } from '../../../src/client/prices/subscribers.js'
import { ManualTransport, type ManualSocket } from '../../support/manual-transport.js'
import { ManualClock } from './manual-clock.js'
import { names, type Name } from './events.js'

/** In ms. */
export interface CoreTimes {
  readonly linger: number
}

export const confirmTimeout = 2_000
export const staleAfter = 5_000
export const connectTimeout = 3_000

const initialDelay = 100

/** From an aborted dial to the next one: the first backoff, with the chance of `runEveryOrder`. */
export const redialDelay = initialDelay / 2

/** Pings and probes are not part of the orders: the timers of a healthy connection are far away. In ms. */
const farAway = 1e9

export const topicOf = (name: Name) => `svc-0x${name.toLowerCase()}` as const

export const nameOf = (topic: string): Name => names.find((name) => topicOf(name) === topic)!

/** A subscriber, and the events that it has received, as words. */
export interface CoreSubscriber {
  readonly name: Name
  readonly events: string[]
  isActive: boolean
  subscription: Subscription | undefined
}

/** The core of a client, `src/client/prices`, over a clock and a transport that are moved by hand. */
export class Core {
  readonly clock = new ManualClock()
  readonly transport: ManualTransport
  readonly subscribers: CoreSubscriber[] = []
  status: ConnectionStatus = { _tag: 'Idle' }
  private readonly pool: ConnectionPool

  constructor({ linger }: CoreTimes, onFrame: (frame: string) => void) {
    this.transport = new ManualTransport({ reportsClose: false, onSend: (_socket, frame) => onFrame(frame) })
    this.pool = new ConnectionPool({
      clock: this.clock,
      transport: this.transport,
      url: 'ws://localhost',
      host: 'localhost',
      service: 'svc',
      publish: () => undefined,
      addSource: () => () => undefined,
      secrets: new Secrets(),
      reconnect: { initialDelay, maxDelay: 1_000, stableAfter: 1_000 },
      maxFrameBytes: 1_048_576,
      maxFramesPerSecond: 1_000,
      maxTopicsPerConnection: 1_000,
      maxLag: Infinity,
      pingInterval: farAway,
      pongTimeout: farAway,
      ...{ linger, confirmTimeout, staleAfter, connectTimeout },
    })
    this.pool.status$.subscribe((status) => (this.status = status))
  }

  /** The socket that is connecting or open. */
  get socket(): ManualSocket | undefined {
    const socket = this.transport.sockets.at(-1)
    return socket?.state === 'closed' ? undefined : socket
  }

  get snapshot(): readonly TopicSnapshot[] {
    return this.pool.snapshot()
  }

  /** True if a timer that an order may wait for is set. */
  get hasTimer(): boolean {
    return this.clock.nextTimerAt < farAway
  }

  activeOf(name: Name): readonly CoreSubscriber[] {
    return this.subscribers.filter((each) => each.isActive && each.name === name)
  }

  subscribe(name: Name): CoreSubscriber {
    const subscriber: CoreSubscriber = { name, events: [], isActive: true, subscription: undefined }
    this.subscribers.push(subscriber)
    subscriber.subscription = this.pool
      .sourceOf(topicOf(name))
      .open$()
      .subscribe({
        next: (event) => subscriber.events.push(wordsOf(event)),
        complete: () => {
          subscriber.isActive = false
          subscriber.events.push('completes')
        },
        error: () => subscriber.events.push('an Rx error'),
      })
    return subscriber
  }

  unsubscribe(subscriber: CoreSubscriber): void {
    subscriber.isActive = false
    subscriber.subscription?.unsubscribe()
  }

  /** A text message of the service, by the fast path if the client takes it. */
  receive(text: string): void {
    const { socket } = this
    const bytes = Buffer.from(text)
    if (socket?.listener.bytes(bytes, 0, bytes.length) === false) socket.deliver(text)
  }

  close(): void {
    this.pool.close()
  }
}

const wordsOf = (event: PriceEvent): string =>
  isLeft(event) ? event.left._tag : `price ${event.right.price} of ${event.right.epoch}`
