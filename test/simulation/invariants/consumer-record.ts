import type { PriceError } from 'svc-streams'
import type { SentPrice } from '../world/price-log.js'
import type { ServerSocket } from '../world/web-socket-transport.js'
import { ConsumerConnection } from './consumer-connection.js'
import type { ConsumerLedger, DeliveredPrice } from './consumers.js'
import { baseOf } from './ledger.js'

// What a gateway sends to one consumer. Times are those in which the process of the gateway was running, in ms.

/** A consumer gets every price again by then after it was slow. */
const quickAgainMs = 5_000

/** A price for a quick consumer is sent by then. */
const heldMs = 2_000

/** Ages are rounded, and clocks are read once per tick. */
const ageToleranceMs = 20

/** While the service is down, each connection is ended by then. */
const outageMs = 500

/** What the event loop takes. */
const slackMs = 1_000

/**
 * A price that the gateway has to send. `isEarly`: the service had not answered a probe since the first topic of the consumer.
 * `isOptional`: its topic was not live since.
 */
interface DuePrice {
  readonly id: number
  readonly at: number
  readonly isEarly: boolean
  isOptional: boolean
}

interface ConsumedTopic {
  due: DuePrice[]
  /** True until the first price after the subscribe message, which may be the last one of the topic. */
  mayRepeat: boolean
  /** The last price of the live topic, when the subscribe message was read, until this or a newer price is sent. */
  last: { readonly id: number; readonly at: number } | undefined
}

/** What is known of one consumer: what its gateway has read and sent. Only records, and reports what is wrong. */
export class ConsumerRecord {
  private readonly topics = new Map<string, ConsumedTopic>()
  private readonly leftAt = new Map<string, number>()
  private readonly connection: ConsumerConnection
  /** The error texts that the gateway has to send, with the time of the reason, by their text in lower case. */
  private readonly dueTexts: { readonly text: string; readonly at: number }[] = []
  /** Since when the service has been down; `undefined` if it was not since the connection is open. */
  private downAt: number | undefined
  private isEnded = false
  /** When the first topic was requested, by the clock of the process of the gateway. */
  private requestedAt: number | undefined

  constructor(
    readonly id: number,
    private readonly gateway: ConsumerLedger,
    private readonly socket: ServerSocket,
  ) {
    this.connection = new ConsumerConnection(() => gateway.now, socket, gateway.limits.maxBufferedBytes)
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
    this.requestedAt ??= this.gateway.ledger.process.now
    const { maxTopicsPerConnection } = this.gateway.limits
    if (method === 'unsubscribe') this.leave(base)
    else if (this.topics.has(base)) return
    else if (this.topics.size < maxTopicsPerConnection) this.topics.set(base, this.newTopic(base))
    else
      this.expectText(
        `Invalid request: ${topic} is one topic more than the ${maxTopicsPerConnection} of a connection`,
      )
  }

  private newTopic(base: string): ConsumedTopic {
    const { now } = this.gateway
    const id = this.gateway.lastPriceOf(base)
    return { due: [], mayRepeat: true, last: id === undefined ? undefined : { id, at: now } }
  }

  onPing(payload: string): void {
    this.connection.onPing(payload)
  }

  onPong(payload: string): void {
    this.connection.onPong(payload)
  }

  /** The gateway sends a close frame. */
  onClose(code: number, reason: string): void {
    const expected = this.gateway.isClosing ? 1001 : 1013
    if (code !== expected) this.report(`the close code ${code}, not ${expected}: ${reason}`)
    this.connection.onClose(reason)
    this.onEnd()
  }

  /** The gateway or the consumer ends the connection. */
  onEnd(): void {
    this.isEnded = true
    this.topics.clear()
    this.dueTexts.length = 0
    this.connection.onEnd()
  }

  /** The client of the gateway delivers a price. */
  onSourcePrice(base: string, id: number): void {
    const topic = this.topics.get(base)
    if (topic === undefined) return
    this.connection.noteSlowness()
    topic.last = undefined
    const due = { id, at: this.gateway.now, isEarly: this.isWaiting, isOptional: false }
    topic.due = [...topic.due.filter((each) => each.id !== id), due]
  }

  private get isWaiting(): boolean {
    const { open } = this.gateway.ledger
    return open !== undefined && this.requestedAt !== undefined && open.measuredAt <= this.requestedAt
  }

  /** Until the topic is live again, its prices need not be sent. A rejected topic is no longer wanted. */
  onSourceFailure(base: string, error: PriceError): void {
    // While a connection is open, it is the failure of an earlier one, after which the topic has had no price.
    const isDown = error._tag === 'Disconnected' && this.gateway.ledger.open === undefined
    if (isDown && !this.isEnded) this.downAt ??= this.gateway.now
    const topic = this.topics.get(base)
    if (topic === undefined) return
    for (const due of topic.due) due.isOptional = true
    topic.last = undefined
    if (error._tag !== 'SubscriptionRejected') return
    this.leave(base)
    this.expectText(error.reason)
  }

  /** The gateway sends a frame. Returns the record of its price. */
  onFrame(frame: string): SentPrice | undefined {
    this.connection.onWritten(frame.length)
    if (frame.startsWith('{"topic"')) return this.onPrice(frame)
    if (!frame.startsWith('{"')) this.onText(frame)
    return undefined
  }

  /** What is wrong, if anything is. */
  problem(): string | undefined {
    const problem = this.connection.problem()
    if (problem !== undefined) return `consumer ${this.id} ${problem}`
    const { now } = this.gateway
    const { downAt, isEnded } = this
    const { slowAt } = this.connection
    if (!isEnded && downAt !== undefined && now - downAt > outageMs)
      return `consumer ${this.id} is not ended ${now - downAt} ms after the loss of the service`
    const [text] = this.dueTexts
    if (text !== undefined && now - text.at > slackMs)
      return `consumer ${this.id} was not sent the text ${text.text}`
    for (const [base, { due, last }] of this.topics) {
      // While nothing fails, the gateway knows that its last price is current.
      if (last !== undefined && now - Math.max(last.at, slowAt) > heldMs && this.gateway.isRecovered())
        return `the last price ${last.id} of ${base} was not sent to consumer ${this.id} for ${now - last.at} ms`
      const oldest = due.find(({ isOptional, isEarly }) => !isOptional && !isEarly)
      if (oldest !== undefined && now - Math.max(oldest.at, slowAt) > heldMs)
        return `price ${oldest.id} of ${base} was not sent to consumer ${this.id} for ${now - oldest.at} ms`
    }
    return undefined
  }

  /** A rejection has the text of the service, for those that wanted the topic. */
  private onText(text: string): void {
    const index = this.dueTexts.findIndex((due) => due.text === text.toLowerCase())
    if (index < 0) this.report(`the text ${text}, without a reason`)
    else this.dueTexts.splice(index, 1)
  }

  private expectText(text: string): void {
    this.dueTexts.push({ text: text.toLowerCase(), at: this.gateway.now })
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
    const { base } = arrived.sent
    // It was held until the service had answered.
    const isHeld = this.topics.get(base)?.due.some((due) => due.id === id && due.isEarly) === true
    const problem =
      this.problemOfAge(arrived, age) ?? this.problemOfOrder(base, id) ?? this.connection.problemOfPrice()
    if (problem !== undefined) this.report(`the price ${id}: ${problem}`)
    return this.gateway.pass(arrived, this.socket, { age, isHeld })
  }

  /** The age of a price that the client of the gateway has held is longer: it counts from the sending. */
  private problemOfAge({ sent, at, isNew }: DeliveredPrice, stated: number): string | undefined {
    const age = this.gateway.ledger.process.now - at + sent.age
    const difference = isNew ? Math.abs(age - stated) : age - stated
    return difference > ageToleranceMs ? `its age is ${age} ms, and the frame states ${stated} ms` : undefined
  }

  private problemOfOrder(base: string, id: number): string | undefined {
    const topic = this.topics.get(base)
    if (topic === undefined)
      return this.leftAt.get(base) === this.gateway.now ? undefined : `the consumer does not want ${base}`
    const { due, mayRepeat } = topic
    topic.mayRepeat = false
    topic.last = undefined
    const index = due.findIndex((each) => each.id === id)
    if (index < 0) {
      // Frames of one tick are written together: also those of earlier subscriptions in it.
      const isOfThisTick = this.leftAt.get(base) === this.gateway.now
      if ((mayRepeat || isOfThisTick) && this.gateway.newest.get(base) === id) return undefined
      return 'it is no new one, and the consumer has not subscribed again'
    }
    topic.due = due.slice(index + 1)
    const { isOptional, at } = due[index]!
    if (isOptional && at !== this.gateway.now) return `${base} is not live`
    const isSlow = this.gateway.now - this.connection.slowAt <= quickAgainMs
    const missing = due.slice(0, index).find(({ isOptional: isDown, isEarly }) => !isDown && !isEarly)
    return missing === undefined || isSlow
      ? undefined
      : `price ${missing.id} was not sent to a quick consumer`
  }

  private leave(base: string): void {
    this.topics.delete(base)
    this.leftAt.set(base, this.gateway.now)
  }

  private report(problem: string): void {
    this.gateway.report(`consumer ${this.id} is sent ${problem}`)
  }
}
