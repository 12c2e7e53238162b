import { isLeft, left } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import { parseTopic } from '../../wire/codec/arguments.js'
import type { Address } from '../../base/domain/address.js'
import type { LiveSource } from '../../base/domain/joinable.js'
import type { PricePosition } from '../../base/domain/position.js'
import type { TopicSnapshot } from '../../base/domain/snapshot.js'
import { behindMsOf, type ConnectionStatus } from '../../base/domain/status.js'
import { baseAddressOf, type Topic } from '../../base/domain/topic.js'
import type { Wake } from '../../wire/platform/platform.js'
import { clientClosed } from '../../base/errors/constructors.js'
import type { UncorrelatedError } from '../../base/errors/model.js'
import { addTeardown } from '../../base/time/rx-providers.js'
import { Multicast } from '../../base/task/multicast.js'
import { PriceConnection, type PriceConnectionConfig } from './price-connection.js'
import { AtOnceLimit } from '../../base/time/at-once-limit.js'
import { RateLimiter } from '../../base/time/rate-limiter.js'
import type { PriceEvent } from './subscribers.js'
import { positionIn } from './topics.js'

export interface ConnectionPoolConfig extends Omit<
  PriceConnectionConfig,
  'nextEpoch' | 'rateLimiter' | 'firstHost' | 'line' | 'onStatus' | 'onUncorrelated' | 'onMeasured'
> {
  readonly maxTopicsPerConnection: number
  readonly maxFramesPerSecond: number
}

/** The live prices of one client. Distributes the topics over as many connections as needed, usually one. */
export class ConnectionPool {
  private readonly connections: PriceConnection[] = []
  private readonly statuses$ = new Multicast<ConnectionStatus>()
  private readonly uncorrelated$ = new Multicast<UncorrelatedError>()
  private readonly measurements$ = new Multicast<undefined>()
  private readonly connectionConfig: PriceConnectionConfig
  private status: ConnectionStatus = { _tag: 'Idle' }
  private readonly limit: AtOnceLimit
  private lastEpoch = 0
  private closed = false

  readonly status$ = new Observable<ConnectionStatus>((subscriber) => {
    const { status } = this
    const isClosed = status._tag === 'Closed'
    if (isClosed) subscriber.next(status)
    this.statuses$.subscribe(subscriber)
    // Called after joining, so that this subscriber receives a change inside `next`.
    if (!isClosed) subscriber.next(status)
  })
  readonly errors$ = new Observable<UncorrelatedError>((subscriber) =>
    this.uncorrelated$.subscribe(subscriber),
  )

  /** Emits when a connection has answered a probe. Never completes. */
  readonly measured$ = new Observable<unknown>((subscriber) => this.measurements$.subscribe(subscriber))

  constructor(private readonly config: ConnectionPoolConfig) {
    this.limit = new AtOnceLimit(config.clock)
    const rateLimiter = new RateLimiter(config.maxFramesPerSecond)
    this.connectionConfig = {
      ...config,
      rateLimiter,
      firstHost: 0,
      line: this,
      nextEpoch: () => ++this.lastEpoch,
      onStatus: () => this.setStatus(this.worstStatus()),
      onUncorrelated: (error) => this.uncorrelated$.next(error),
      onMeasured: () => this.measurements$.next(undefined),
    }
  }

  /** The prices of a topic, and the position of the last one. */
  sourceOf(topic: Topic): LiveSource<PriceEvent> {
    const { service, secrets } = this.config
    // The caller may have confused the topic with a secret.
    const parsed = secrets.redactLeft(parseTopic(topic, service))
    const base = isLeft(parsed) ? undefined : baseAddressOf(topic, service)
    const open$ = (onConfirmed?: () => void) =>
      new Observable<PriceEvent>((subscriber) => {
        if (!this.closed && base !== undefined) {
          const connection = this.connectionFor(base, topic)
          const join = (target: Subscriber<PriceEvent>): void =>
            addTeardown(target, connection.subscribe(base, topic, target, onConfirmed))
          if (connection.isFailing(base)) this.limit.subscribe(new Observable(join), subscriber)
          else join(subscriber)
          return
        }
        if (this.closed) subscriber.next(left(clientClosed))
        else if (isLeft(parsed)) subscriber.next(parsed)
        subscriber.complete()
      })
    const position = (): PricePosition | undefined => {
      const state = base === undefined ? undefined : this.connectionOf(base)?.topics.get(base)
      return state && positionIn(state)
    }
    const isCurrent = (): boolean =>
      base === undefined || this.connectionOf(base)?.session?.isUpToDate() !== false
    return { open$, position, isCurrent }
  }

  /**
   * Returns a function that returns the ms since the last price of a topic with a price; 0 while that price is
   * delivered.
   */
  priceAgeOf(topic: Topic): () => number {
    const base = baseAddressOf(topic, this.config.service)
    return () => (base === undefined ? undefined : this.connectionOf(base)?.priceAge(base)) ?? 0
  }

  get currentStatus(): ConnectionStatus {
    return this.status
  }

  snapshot(): readonly TopicSnapshot[] {
    return this.connections.flatMap((connection) => connection.snapshot())
  }

  /** Probes every open connection. Returns a function that is true until all have answered or are closed. */
  probe(): () => boolean {
    const missing = this.connections.map((connection) => connection.probe())
    return () => missing.some((isMissing) => isMissing())
  }

  /**
   * Requests a probe of every open connection, at most one within `spacing` ms. Returns a function that returns true until
   * each has answered a probe that was sent after this call, unless it is closed or its age is not bounded.
   */
  requestProbe(spacing: number): () => boolean {
    const missing = this.connections.map(({ session }) => session?.lag.request(spacing))
    return () => missing.some((isMissing) => isMissing?.() === true)
  }

  /** False if the service answers no probes on an open connection. */
  isBounded(): boolean {
    return this.connections.every(({ session }) => session?.lag.isBounded !== false)
  }

  /** False if data that have arrived on an open connection may be older than `maxLag`. */
  isUpToDate(): boolean {
    return this.connections.every(({ session }) => session?.isUpToDate() !== false)
  }

  /** False while a last price is in force that may be older than `maxLag`, until an answer or its `Stale`. */
  areSettled(): boolean {
    return this.connections.every(({ session }) => session?.lag.isBehind !== false || session.lag.isInTime())
  }

  /** Probes every connection. */
  wake(event: Wake): void {
    for (const connection of [...this.connections]) connection.wake(event)
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    for (const connection of this.connections) connection.close()
    this.setStatus({ _tag: 'Closed' })
    this.statuses$.complete()
    this.uncorrelated$.complete()
  }

  private connectionOf(base: Address): PriceConnection | undefined {
    return this.connections.find((connection) => connection.topics.has(base))
  }

  /** The connection of the topic, or the first connection with a free slot, or a new connection. */
  private connectionFor(base: Address, topic: Topic): PriceConnection {
    return (
      this.connectionOf(base) ??
      this.connections.find((connection) => this.hasRoom(connection, topic)) ??
      this.addConnection()
    )
  }

  private hasRoom({ topics }: PriceConnection, topic: Topic): boolean {
    const { maxTopicsPerConnection, maxFrameBytes } = this.config
    return topics.size < maxTopicsPerConnection && topics.hasRoomFor(topic, maxFrameBytes)
  }

  private addConnection(): PriceConnection {
    const connection = new PriceConnection(this.connectionConfig)
    this.connections.push(connection)
    return connection
  }

  private worstStatus(): ConnectionStatus {
    const statuses = this.connections.map(({ status }) => status)
    return statuses.reduce((worst, status) => (severityOf(status) > severityOf(worst) ? status : worst))
  }

  private setStatus(status: ConnectionStatus): void {
    if (this.status === status || this.status._tag === 'Closed') return
    this.status = status
    this.statuses$.next(status)
  }
}

/** The rank of a connection that is behind: between open and connecting. */
const behindSeverity = 1.5

const severity: Readonly<Record<ConnectionStatus['_tag'], number>> = {
  Idle: 0,
  Open: 1,
  Connecting: 2,
  Waiting: 3,
  Closed: 4,
}

const severityOf = (status: ConnectionStatus): number =>
  behindMsOf(status) !== undefined ? behindSeverity : severity[status._tag]
