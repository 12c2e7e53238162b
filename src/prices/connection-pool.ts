import { left } from 'fp-ts/lib/Either.js'
import { Observable, ReplaySubject, Subject } from 'rxjs'
import type { Address } from '../domain/address.js'
import type { TopicSnapshot } from '../domain/snapshot.js'
import type { ConnectionStatus } from '../domain/status.js'
import { baseOf, isTopic, type Topic } from '../domain/topic.js'
import { clientClosed, invalidTopic } from '../errors/constructors.js'
import type { UncorrelatedError } from '../errors/model.js'
import { completing$ } from '../task/safe-notify.js'
import { elapsed } from '../time/clock.js'
import { Shard, type ShardConfig } from './multiplexer.js'
import { FrameBudget } from './rate-limiter.js'
import { lastQuote, stateOf, type Entry, type PriceEvent } from './topic-state.js'

export interface PriceFeedConfig extends Omit<ShardConfig, 'nextEpoch' | 'budget'> {
  readonly maxTopicsPerConnection: number
  readonly maxFramesPerSecond: number
}

/** All live prices of a client: topics, spread over as many connections as they need, usually one. */
export class PriceFeed {
  private readonly shards: Shard[] = []
  private readonly statuses$ = new ReplaySubject<ConnectionStatus>(1)
  private readonly uncorrelated$ = new Subject<UncorrelatedError>()
  private readonly shardConfig: ShardConfig
  private status: ConnectionStatus = { _tag: 'Idle' }
  private epochs = 0
  private closed = false

  readonly status$ = completing$(this.statuses$)
  readonly errors$ = completing$(this.uncorrelated$)

  constructor(private readonly config: PriceFeedConfig) {
    const budget = new FrameBudget(config.maxFramesPerSecond)
    this.shardConfig = { ...config, budget, nextEpoch: () => ++this.epochs }
    this.statuses$.next(this.status)
  }

  price$(topic: Topic): Observable<PriceEvent> {
    const { service } = this.config
    const base = isTopic(topic, service) ? baseOf(topic, service) : undefined
    return new Observable((subscriber) => {
      if (!this.closed && base !== undefined) return this.shardFor(base).join(base, topic, subscriber)
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
    return this.shards.flatMap((shard) => [...shard.entries].map((entry) => describe(entry, now)))
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    for (const shard of this.shards) shard.close()
    this.setStatus({ _tag: 'Closed' })
    this.statuses$.complete()
    this.uncorrelated$.complete()
  }

  /** A topic stays with its connection; a new one goes to the first that has room. */
  private shardFor(base: Address): Shard {
    return (
      this.shards.find((shard) => shard.has(base)) ??
      this.shards.find((shard) => shard.size < this.config.maxTopicsPerConnection) ??
      this.addShard()
    )
  }

  private addShard(): Shard {
    const shard = new Shard(this.shardConfig, {
      status: () => this.setStatus(this.worst()),
      uncorrelated: (error) => this.uncorrelated$.next(error),
    })
    this.shards.push(shard)
    return shard
  }

  private worst(): ConnectionStatus {
    const statuses = this.shards.map((shard) => shard.status)
    return statuses.reduce((worst, status) => (badness[status._tag] > badness[worst._tag] ? status : worst))
  }

  private setStatus(status: ConnectionStatus): void {
    if (this.status === status || this.status._tag === 'Closed') return
    this.status = status
    this.statuses$.next(status)
  }
}

const badness: Readonly<Record<ConnectionStatus['_tag'], number>> = {
  Idle: 0,
  Open: 1,
  Connecting: 2,
  Waiting: 3,
  Closed: 4,
}

const describe = (entry: Entry, now: number): TopicSnapshot => ({
  topic: entry.topic,
  subscribers: entry.audience.length,
  state: stateOf(entry),
  lastPriceAgeMs: lastQuote(entry) === undefined ? null : Math.round(now - entry.heardAt),
})
