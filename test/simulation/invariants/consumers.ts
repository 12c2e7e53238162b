import { isLeft } from 'fp-ts/lib/Either.js'
import type { PriceError } from 'svc-streams'
import type { PriceEvent } from '../../../src/client/prices/subscribers.js'
import type { SentPrice } from '../world/price-log.js'
import type { ServerSocket } from '../world/web-socket-transport.js'
import { ConsumerRecord } from './consumer-record.js'
import type { Ledger } from './ledger.js'
import type { ArrivedPrice } from './open-socket.js'

// What a gateway promises to its consumers: `docs/operate/gateway.md`, "What consumers receive" and "Slow consumers". Times
// are those in which the process of the gateway was running, in ms.

/** An unwanted topic is kept for so long after the return of the service. As `returnTime` of `src/gateway/subscriptions/sessions.ts`. */
export const keptMs = 7_000

/** After one of them, a topic is not live until its next price. */
export const endsLive: ReadonlySet<PriceError['_tag']> = new Set([
  'Stale',
  'SubscriptionRejected',
  'Disconnected',
  'ClientClosed',
])

/** What the event loop takes. */
const slackMs = 1_000

/** A price that the client of a gateway has delivered. `isNew`: as in `SentPrice`. */
export interface DeliveredPrice extends ArrivedPrice {
  readonly isNew: boolean
}

/** The options of a gateway that limit a consumer. */
export interface ConsumerLimits {
  readonly maxTopicsPerConnection: number
  readonly maxBufferedBytes: number
}

/** The consumers of a gateway, and what its client has delivered to it. */
export class ConsumerLedger {
  readonly consumers = new Set<ConsumerRecord>()
  /** The prices that the client has delivered, by id. */
  readonly delivered = new Map<number, DeliveredPrice>()
  /** The newest of them, by topic, while the topic is live. */
  readonly newest = new Map<string, number>()
  /** Since when each subscribed topic is unwanted, and each wanted one is not subscribed. */
  private readonly wrongSince = new Map<string, { readonly at: number; readonly upMs: number }>()
  private lastId = 0
  /** The time in which the service was up, until the last check, in ms. */
  private upMs = 0
  private checkedAt = 0
  /** True once the gateway is closed. */
  isClosing = false

  constructor(
    readonly ledger: Ledger,
    readonly limits: ConsumerLimits,
    readonly report: (problem: string) => void,
    /** True if nothing has failed for so long that everything has recovered. */
    readonly isRecovered: () => boolean,
  ) {}

  get now(): number {
    return this.ledger.process.activeMs
  }

  /** The last price of a topic that is live and that the gateway has not left since. */
  lastPriceOf(base: string): number | undefined {
    const isLive = [...this.ledger.subscribers].some(
      (each) => each.base === base && each.lastEvent === 'price',
    )
    return isLive ? this.newest.get(base) : undefined
  }

  open(socket: ServerSocket): ConsumerRecord {
    const record = new ConsumerRecord(++this.lastId, this, socket)
    this.consumers.add(record)
    return record
  }

  close(record: ConsumerRecord): void {
    this.consumers.delete(record)
  }

  /** The client delivers an event, before the gateway receives it. */
  onSourceEvent(base: string, event: PriceEvent): void {
    if (isLeft(event)) {
      if (!endsLive.has(event.left._tag)) return
      this.newest.delete(base)
      for (const consumer of this.consumers) consumer.onSourceFailure(base, event.left)
      return
    }
    const { price } = event.right
    const arrived = this.ledger.arrived(price)
    if (arrived !== undefined) {
      const isNew = this.ledger.reading === arrived.sent && arrived.sent.isNew
      this.delivered.set(price, { ...arrived, isNew })
    }
    this.newest.set(base, price)
    for (const consumer of this.consumers) consumer.onSourcePrice(base, price)
  }

  /** The gateway sends a price that it has received. */
  pass(
    { sent: source, isNew: isSourceNew }: DeliveredPrice,
    { client }: ServerSocket,
    { age, isHeld }: { readonly age: number; readonly isHeld: boolean },
  ): SentPrice {
    const { process, isProbed, prices } = this.ledger
    const maxAge = isProbed ? source.maxAge : Infinity
    const isNew = isSourceNew && age === 0 && !isHeld
    return prices.pass(source, client, { sentAt: process.now, age, isNew, maxAge })
  }

  /** What is wrong, if anything is. */
  problem(): string | undefined {
    for (const consumer of this.consumers) {
      const problem = consumer.problem()
      if (problem !== undefined) return problem
    }
    return this.problemOfDemand()
  }

  /**
   * The gateway subscribes to what its consumers want, and unsubscribes from the rest: from what it has kept during an outage
   * when the service has been up for `keptMs`, in one piece or in several.
   */
  private problemOfDemand(): string | undefined {
    const { now, ledger } = this
    if (this.isClosing) return undefined
    if (ledger.open !== undefined) this.upMs += now - this.checkedAt
    this.checkedAt = now
    const wanted = new Set([...this.consumers].flatMap((consumer) => [...consumer.wanted]))
    for (const base of new Set([...wanted, ...ledger.wantedSince.keys(), ...this.wrongSince.keys()])) {
      const isSubscribed = ledger.wantedSince.has(base)
      if (wanted.has(base) === isSubscribed) {
        this.wrongSince.delete(base)
        continue
      }
      const since = this.wrongSince.get(base) ?? { at: now, upMs: this.upMs }
      this.wrongSince.set(base, since)
      const waited = now - since.at
      if (!isSubscribed && waited > slackMs)
        return `${base} is wanted and was not subscribed for ${waited} ms`
      if (isSubscribed && this.upMs - since.upMs > keptMs + slackMs)
        return `${base} is unwanted and was not released for ${waited} ms`
    }
    return undefined
  }
}
