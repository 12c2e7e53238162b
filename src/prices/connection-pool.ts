import { left } from 'fp-ts/lib/Either.js'
import { Observable, ReplaySubject, Subject } from 'rxjs'
import type { Address } from '../domain/address.js'
import type { TopicSnapshot } from '../domain/snapshot.js'
import type { ConnectionStatus } from '../domain/status.js'
import { baseAddressOf, isTopic, type Topic } from '../domain/topic.js'
import { clientClosed, invalidTopic } from '../errors/constructors.js'
import type { UncorrelatedError } from '../errors/model.js'
import { completing$ } from '../task/safe-notify.js'
import { elapsed } from '../time/clock.js'
import { Multiplexer, type MultiplexerConfig } from './multiplexer.js'
import { RateLimiter } from './rate-limiter.js'
import { lastPrice, snapshotStateOf, type TopicState, type PriceEvent } from './topic-state.js'

export interface ConnectionPoolConfig extends Omit<MultiplexerConfig, 'nextEpoch' | 'budget'> {
  readonly maxTopicsPerConnection: number
  readonly maxFramesPerSecond: number
}

/** All live prices of a client: topics, spread over as many connections as they need, usually one. */
export class ConnectionPool {
  private readonly multiplexers: Multiplexer[] = []
  private readonly statuses$ = new ReplaySubject<ConnectionStatus>(1)
  private readonly uncorrelated$ = new Subject<UncorrelatedError>()
  private readonly multiplexerConfig: MultiplexerConfig
  private status: ConnectionStatus = { _tag: 'Idle' }
  private epochs = 0
  private closed = false

  readonly status$ = completing$(this.statuses$)
  readonly errors$ = completing$(this.uncorrelated$)

  constructor(private readonly config: ConnectionPoolConfig) {
    const budget = new RateLimiter(config.maxFramesPerSecond)
    this.multiplexerConfig = { ...config, budget, nextEpoch: () => ++this.epochs }
    this.statuses$.next(this.status)
  }

  price$(topic: Topic): Observable<PriceEvent> {
    const { service } = this.config
    const base = isTopic(topic, service) ? baseAddressOf(topic, service) : undefined
    return new Observable((subscriber) => {
      if (!this.closed && base !== undefined) return this.multiplexerFor(base).join(base, topic, subscriber)
      subscriber.next(left(this.closed ? clientClosed : invalidTopic(topic, service)))
      subscriber.complete()
      return undefined
    })
  }

  get currentStatus(): ConnectionStatus {
    return this.status
  }

  snapshot(): readonly TopicSnapshot[] {
    const now = elapsed()
    return this.multiplexers.flatMap((shard) => [...shard.entries].map((entry) => describe(entry, now)))
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    for (const shard of this.multiplexers) shard.close()
    this.setStatus({ _tag: 'Closed' })
    this.statuses$.complete()
    this.uncorrelated$.complete()
  }

  /** A topic stays with its connection; a new one goes to the first that has room. */
  private multiplexerFor(base: Address): Multiplexer {
    return (
      this.multiplexers.find((shard) => shard.has(base)) ??
      this.multiplexers.find((shard) => shard.size < this.config.maxTopicsPerConnection) ??
      this.addMultiplexer()
    )
  }

  private addMultiplexer(): Multiplexer {
    const shard = new Multiplexer(this.multiplexerConfig, {
      status: () => this.setStatus(this.worst()),
      uncorrelated: (error) => this.uncorrelated$.next(error),
    })
    this.multiplexers.push(shard)
    return shard
  }

  private worst(): ConnectionStatus {
    const statuses = this.multiplexers.map((shard) => shard.status)
    return statuses.reduce((worst, status) => (severity[status._tag] > severity[worst._tag] ? status : worst))
  }

  private setStatus(status: ConnectionStatus): void {
    if (this.status === status || this.status._tag === 'Closed') return
    this.status = status
    this.statuses$.next(status)
  }
}

const severity: Readonly<Record<ConnectionStatus['_tag'], number>> = {
  Idle: 0,
  Open: 1,
  Connecting: 2,
  Waiting: 3,
  Closed: 4,
}

const describe = (entry: TopicState, now: number): TopicSnapshot => ({
  topic: entry.topic,
  subscribers: entry.subscribers.length,
  state: snapshotStateOf(entry),
  lastPriceAgeMs: lastPrice(entry) === undefined ? null : Math.round(now - entry.lastActivityAt),
})
