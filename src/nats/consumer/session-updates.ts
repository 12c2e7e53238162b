import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import type { ConsumerMessageOf } from '../../codec/nats/messages.js'
import { readPriceUpdate, type PriceUpdateHeader } from '../../codec/nats/price-update.js'
import type { Address } from '../../domain/address.js'
import { messageTooBig, noCloseFrame, type SocketListener } from '../../transport/ports.js'
import type { ConsumerContext } from './consumer-context.js'
import type { Lag } from './lag.js'

export interface SessionUpdatesConfig extends Pick<ConsumerContext, 'clock' | 'subjects' | 'maxLag'> {
  readonly connection: NatsConnection
  /** The identifier of the gateway. */
  readonly gateway: string
  readonly lag: Lag
  readonly maxFrameBytes: number
  readonly listener: SocketListener
  /** Ends the session. It then calls no listener. */
  readonly end: (code: number, reason: string) => void
}

/** Passes the price updates of a session on, and ends the session if one is lost or late. */
export class SessionUpdates {
  private readonly topics = new TopicUpdatesTable()
  private readonly header: PriceUpdateHeader = { sequence: 0, time: 0, start: 0 }
  private requestCount = 0
  private isEnded = false

  constructor(private readonly config: SessionUpdatesConfig) {}

  /** The number of subscribe and unsubscribe messages so far. */
  get requests(): number {
    return this.requestCount
  }

  /** Returns the number of the subscribe message. */
  subscribe(base: Address): number {
    const { connection, subjects, gateway } = this.config
    const number = ++this.requestCount
    this.topics.request(base, number, () =>
      connection.subscribe(subjects.price(gateway, base), {
        callback: (error, { data }) => {
          if (error === null) this.onUpdate(base, data)
          else this.end(noCloseFrame, `NATS: ${error.message}`)
        },
      }),
    )
    return number
  }

  /** Returns the number of the unsubscribe message. */
  unsubscribe(base: Address): number {
    this.topics.remove(base)
    return ++this.requestCount
  }

  onConfirmed({ topic, base, number, sequence, price }: ConsumerMessageOf<'confirmed'>): void {
    const verdict = this.topics.onConfirmed(base as Address, number, sequence)
    if (verdict === 'foreign') return
    if (verdict === 'gap') return this.onGap(base)
    const { listener } = this.config
    listener.text(JSON.stringify({ subscriptions: [topic] }))
    if (verdict === 'deliver' && price !== undefined && this.isInTime(price.time)) listener.text(price.frame)
  }

  onRejected({ base, text }: ConsumerMessageOf<'rejected'>): void {
    this.topics.remove(base as Address)
    this.config.listener.text(text)
  }

  /** The last sequence numbers of the gateway: updates that it published before have arrived, or are lost. */
  onSequences(sequences: Readonly<Record<string, number>>): void {
    for (const [base, sequence] of Object.entries(sequences)) {
      if (this.topics.isMissing(base as Address, sequence)) return this.onGap(base)
    }
  }

  close(): void {
    this.isEnded = true
    this.topics.clear()
  }

  private onUpdate(base: Address, data: Uint8Array): void {
    if (this.isEnded) return
    const { header } = this
    if (!readPriceUpdate(data, header)) return this.end(noCloseFrame, 'malformed price update of the gateway')
    const verdict = this.topics.onUpdate(base, header.sequence)
    if (verdict === 'ignore') return
    if (verdict === 'gap') return this.onGap(base)
    if (this.isInTime(header.time)) this.deliver(data, header.start)
  }

  private deliver(data: Uint8Array, start: number): void {
    const { listener, maxFrameBytes } = this.config
    const length = data.length - start
    if (length > maxFrameBytes)
      return this.end(messageTooBig, `a message is longer than ${maxFrameBytes} bytes`)
    if (listener.bytes(data, start, data.length)) return
    listener.text(Buffer.from(data.buffer, data.byteOffset + start, length).toString())
  }

  /** Ends the session if a price is late: those behind it are late too. */
  private isInTime(time: number): boolean {
    const { clock, lag, maxLag } = this.config
    const ms = lag.of(time, clock.elapsed())
    if (ms > maxLag) {
      this.end(noCloseFrame, `the prices are ${Math.round(ms)} ms behind, at most ${maxLag} ms are allowed`)
    }
    return !this.isEnded
  }

  private onGap(base: string): void {
    this.end(noCloseFrame, `an update of ${base} is lost`)
  }

  private end(code: number, reason: string): void {
    this.config.end(code, reason)
  }
}

/** The updates of one topic of a session. */
interface TopicUpdates {
  readonly subscription: Subscription
  /** That of the last subscribe message: an earlier confirmation is about another subscription. */
  number: number
  /** The sequence number of the last update; `undefined` until the gateway confirms the topic. */
  sequence: number | undefined
}

/** What to do with an update. */
type UpdateVerdict = 'deliver' | 'ignore' | 'gap'

/** The topics of a session, and the sequence numbers of their updates. */
export class TopicUpdatesTable {
  private readonly topics = new Map<Address, TopicUpdates>()

  /** Adds or finds a topic. `subscribe` is called for a new one. `number`: of the subscribe message. */
  request(base: Address, number: number, subscribe: () => Subscription): void {
    const topic = this.topics.get(base)
    if (topic === undefined) this.topics.set(base, { subscription: subscribe(), number, sequence: undefined })
    else topic.number = number
  }

  remove(base: Address): void {
    this.topics.get(base)?.subscription.unsubscribe()
    this.topics.delete(base)
  }

  /** Judges an update by its sequence number. Updates from before the confirmation are part of its price. */
  onUpdate(base: Address, sequence: number): UpdateVerdict {
    const topic = this.topics.get(base)
    if (topic?.sequence === undefined || sequence <= topic.sequence) return 'ignore'
    if (sequence > topic.sequence + 1) return 'gap'
    topic.sequence = sequence
    return 'deliver'
  }

  /** Judges a confirmation: `deliver` also its price, `ignore` its price only. */
  onConfirmed(base: Address, number: number, sequence: number): UpdateVerdict | 'foreign' {
    const topic = this.topics.get(base)
    if (topic?.number !== number) return 'foreign'
    const isFirst = topic.sequence === undefined
    topic.sequence ??= sequence
    if (sequence > topic.sequence) return 'gap'
    return isFirst ? 'deliver' : 'ignore'
  }

  /** True if the gateway has published an update before its reply that has not arrived. */
  isMissing(base: Address, sequence: number): boolean {
    const last = this.topics.get(base)?.sequence
    return last !== undefined && sequence > last
  }

  clear(): void {
    for (const { subscription } of this.topics.values()) subscription.unsubscribe()
    this.topics.clear()
  }
}
