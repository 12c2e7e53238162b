import { isLeft } from 'fp-ts/lib/Either.js'
import type { PriceError } from 'svc-streams'
import type { PriceEvent } from '../../../src/prices/subscribers.js'
import type { SentPrice } from '../world/price-log.js'
import type { ServerSocket } from '../world/web-socket-transport.js'
import { baseOf, type Ledger } from './ledger.js'
import type { ArrivedPrice } from './open-socket.js'

// What a gateway promises to its consumers: `docs/guides/gateway.md`, "What consumers receive" and "Slow consumers". Times
// are those in which the process of the gateway was running, in ms.

/** A consumer that answers a ping later is slow, and one for which more bytes are unacknowledged. */
const slowPongMs = 150
const slowBytes = 6_000

/** A consumer gets every price again by then after it was slow. */
const quickAgainMs = 5_000

/** A price for a quick consumer is sent by then. */
const heldMs = 2_000

/** Ages are rounded, and clocks are read once per tick. */
const ageToleranceMs = 20

/** An unwanted topic is kept for so long after the return of the service. As `returnTime` of `src/gateway/sessions/demand.ts`. */
export const keptMs = 7_000

/** After one of them, a topic is not live until its next price. */
const endsLive: ReadonlySet<PriceError['_tag']> = new Set([
  'Stale',
  'SubscriptionRejected',
  'Disconnected',
  'ClientClosed',
])

/** What the event loop takes. */
const slackMs = 1_000

/** A price that the gateway has to send. `isOptional`: its topic was not live since. */
interface DuePrice {
  readonly id: number
  readonly at: number
  isOptional: boolean
}

/** A price that the client of a gateway has delivered. `isNew`: as in `SentPrice`. */
interface DeliveredPrice extends ArrivedPrice {
  readonly isNew: boolean
}

interface ConsumedTopic {
  due: DuePrice[]
  /** True until the first price after the subscribe message, which may be the last one of the topic. */
  mayRepeat: boolean
}

/** What is known of one consumer: what its gateway has read and sent. Only records, and reports what is wrong. */
export class ConsumerRecord {
  private readonly topics = new Map<string, ConsumedTopic>()
  private readonly leftAt = new Map<string, number>()
  private readonly pings = new Map<string, { readonly at: number; readonly written: number }>()
  private written = 0
  private acknowledged = 0
  private slowAt: number
  private isEnded = false

  constructor(
    readonly id: number,
    private readonly gateway: ConsumerLedger,
    private readonly socket: ServerSocket,
  ) {
    this.slowAt = gateway.now
  }

  wants(base: string): boolean {
    return this.topics.has(base)
  }

  get wanted(): Iterable<string> {
    return this.topics.keys()
  }

  /** The gateway reads a message. */
  onMessage(text: string): void {
    if (this.isEnded) return
    const { method, topic } = JSON.parse(text) as { readonly method: string; readonly topic: string }
    const base = baseOf(topic)
    if (method === 'unsubscribe') this.leave(base)
    else if (!this.topics.has(base)) this.topics.set(base, { due: [], mayRepeat: true })
  }

  onPing(payload: string): void {
    this.pings.set(payload, { at: this.gateway.now, written: this.written })
  }

  onPong(payload: string): void {
    this.noteSlowness()
    this.acknowledged = this.pings.get(payload)?.written ?? this.acknowledged
    this.pings.delete(payload)
  }

  /** The gateway or the consumer ends the connection. */
  onEnd(): void {
    this.isEnded = true
    this.topics.clear()
    this.pings.clear()
    this.written = this.acknowledged
  }

  /** The client of the gateway delivers a price. */
  onSourcePrice(base: string, id: number): void {
    const topic = this.topics.get(base)
    if (topic === undefined) return
    this.noteSlowness()
    topic.due = [...topic.due.filter((due) => due.id !== id), { id, at: this.gateway.now, isOptional: false }]
  }

  /** Until the topic is live again, its prices need not be sent. A rejected topic is no longer wanted. */
  onSourceFailure(base: string, { _tag }: PriceError): void {
    if (_tag === 'SubscriptionRejected') return this.leave(base)
    for (const due of this.topics.get(base)?.due ?? []) due.isOptional = true
  }

  /** The gateway sends a frame. Returns the record of its price. */
  onFrame(frame: string): SentPrice | undefined {
    this.written += frame.length
    return frame.startsWith('{"topic"') ? this.onPrice(frame) : undefined
  }

  /** What is wrong, if anything is. */
  problem(): string | undefined {
    this.noteSlowness()
    const { now } = this.gateway
    for (const [base, { due }] of this.topics) {
      const oldest = due.find(({ isOptional }) => !isOptional)
      if (oldest !== undefined && now - Math.max(oldest.at, this.slowAt) > heldMs)
        return `price ${oldest.id} of ${base} was not sent to consumer ${this.id} for ${now - oldest.at} ms`
    }
    return undefined
  }

  private onPrice(frame: string): SentPrice | undefined {
    const message = JSON.parse(frame) as {
      readonly topic: string
      readonly price: number
      readonly age?: number
    }
    const { price: id, age = 0 } = message
    const arrived = this.gateway.delivered.get(id)
    if (arrived === undefined) {
      this.report(`the price ${id}, which the client of the gateway has not delivered`)
      return undefined
    }
    const problem = this.problemOfAge(arrived, age) ?? this.problemOfOrder(arrived.sent.base, id)
    if (problem !== undefined) this.report(`the price ${id}: ${problem}`)
    return this.gateway.pass(arrived, this.socket, age)
  }

  private problemOfAge({ sent, at }: ArrivedPrice, stated: number): string | undefined {
    const age = this.gateway.ledger.process.now - at + sent.age
    return Math.abs(age - stated) > ageToleranceMs
      ? `its age is ${age} ms, and the frame states ${stated} ms`
      : undefined
  }

  private problemOfOrder(base: string, id: number): string | undefined {
    const topic = this.topics.get(base)
    if (topic === undefined)
      return this.leftAt.get(base) === this.gateway.now ? undefined : `the consumer does not want ${base}`
    const { due, mayRepeat } = topic
    topic.mayRepeat = false
    const index = due.findIndex((each) => each.id === id)
    if (index < 0) {
      if (mayRepeat && this.gateway.newest.get(base) === id) return undefined
      return 'it is no new one, and the consumer has not subscribed again'
    }
    topic.due = due.slice(index + 1)
    const { isOptional, at } = due[index]!
    if (isOptional && at !== this.gateway.now) return `${base} is not live`
    const isSlow = this.gateway.now - this.slowAt <= quickAgainMs
    const missing = due.slice(0, index).find(({ isOptional }) => !isOptional)
    return missing === undefined || isSlow
      ? undefined
      : `price ${missing.id} was not sent to a quick consumer`
  }

  private leave(base: string): void {
    this.topics.delete(base)
    this.leftAt.set(base, this.gateway.now)
  }

  private noteSlowness(): void {
    const { now } = this.gateway
    const [oldest] = this.pings.values()
    const isLate = oldest !== undefined && now - oldest.at > slowPongMs
    if (isLate || this.written - this.acknowledged > slowBytes) this.slowAt = now
  }

  private report(problem: string): void {
    this.gateway.report(`consumer ${this.id} is sent ${problem}`)
  }
}

/** The consumers of a gateway, and what its client has delivered to it. */
export class ConsumerLedger {
  readonly consumers = new Set<ConsumerRecord>()
  /** The prices that the client has delivered, by id. */
  readonly delivered = new Map<number, DeliveredPrice>()
  /** The newest of them, by topic, while the topic is live. */
  readonly newest = new Map<string, number>()
  /** Since when each subscribed topic is unwanted, and each wanted one is not subscribed. */
  private readonly wrongSince = new Map<string, number>()
  private lastId = 0

  constructor(
    readonly ledger: Ledger,
    readonly report: (problem: string) => void,
  ) {}

  get now(): number {
    return this.ledger.process.activeMs
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
  pass({ sent: source, isNew }: DeliveredPrice, { client }: ServerSocket, age: number): SentPrice {
    const { process, isProbed, times, prices } = this.ledger
    const maxAge = source.maxAge + (isProbed ? times.maxLag : Infinity)
    return prices.pass(source, client, { sentAt: process.now, age, isNew: isNew && age === 0, maxAge })
  }

  /** What is wrong, if anything is. */
  problem(): string | undefined {
    for (const consumer of this.consumers) {
      const problem = consumer.problem()
      if (problem !== undefined) return problem
    }
    return this.problemOfDemand()
  }

  /** The gateway subscribes to what its consumers want, and unsubscribes from the rest. */
  private problemOfDemand(): string | undefined {
    const { now, ledger } = this
    const wanted = new Set([...this.consumers].flatMap((consumer) => [...consumer.wanted]))
    const upMs = ledger.open === undefined ? 0 : now - ledger.open.openedAt
    for (const base of new Set([...wanted, ...ledger.wantedSince.keys(), ...this.wrongSince.keys()])) {
      const isSubscribed = ledger.wantedSince.has(base)
      if (wanted.has(base) === isSubscribed) {
        this.wrongSince.delete(base)
        continue
      }
      const since = this.wrongSince.get(base) ?? now
      this.wrongSince.set(base, since)
      if (!isSubscribed && now - since > slackMs)
        return `${base} is wanted and was not subscribed for ${now - since} ms`
      if (isSubscribed && Math.min(now - since, upMs) > keptMs + slackMs)
        return `${base} is unwanted and was not released for ${now - since} ms`
    }
    return undefined
  }
}
