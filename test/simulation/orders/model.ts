import { names, type Name } from './events.js'

/** What the client and the service know of a topic on the open socket. Times are in ms. */
export interface WireTopic {
  /** The client has requested it, and neither released it nor received its rejection. */
  isRequested: boolean
  requestedAt: number
  /** The time of the last confirmation that counts, or of the last price. */
  activeAt: number | undefined
  isLive: boolean
  /** When its confirmation timed out, until it is requested again. */
  timedOutAt: number | undefined
  price: number | undefined
  /** The service has it, and may send prices. */
  isServed: boolean
  /** After the release of a topic without an answer: until when its answer may come. */
  answerableUntil: number
}

const unknown = (): WireTopic => ({
  isRequested: false,
  requestedAt: 0,
  activeAt: undefined,
  isLive: false,
  timedOutAt: undefined,
  price: undefined,
  isServed: false,
  answerableUntil: 0,
})

/** What one socket carries. */
export class WireModel {
  readonly topics: Readonly<Record<Name, WireTopic>> = { A: unknown(), B: unknown() }
  /** The topics of the subscribe frames that the service has not answered, the oldest first. */
  readonly unanswered: Name[] = []
  /** An error text came that matches no topic. */
  hasText = false

  isPending(name: Name): boolean {
    const { isRequested, activeAt, timedOutAt } = this.topics[name]
    return isRequested && activeAt === undefined && timedOutAt === undefined
  }

  /** Returns what is wrong with the frame, if anything is. */
  onSubscribe(name: Name, now: number): string | undefined {
    const topic = this.topics[name]
    const isRepeated = topic.isRequested && topic.timedOutAt === undefined
    Object.assign(topic, { isRequested: true, requestedAt: now, timedOutAt: undefined, isServed: true })
    this.unanswered.push(name)
    return isRepeated ? `${name} is requested twice` : undefined
  }

  onUnsubscribe(name: Name, now: number, confirmTimeout: number): void {
    const topic = this.topics[name]
    const until = this.isPending(name) ? topic.requestedAt + confirmTimeout : 0
    // A released topic may be released again: then no answer is outstanding.
    this.forget(name)
    topic.answerableUntil = until > now ? until : 0
  }

  /** The client keeps nothing of the topic. */
  forget(name: Name): void {
    const topic = this.topics[name]
    Object.assign(topic, { ...unknown(), isServed: topic.isServed, answerableUntil: topic.answerableUntil })
  }

  onConfirmation(name: Name, now: number): void {
    const topic = this.topics[name]
    this.answer(name)
    topic.answerableUntil = 0
    if (!topic.isRequested || topic.activeAt !== undefined) return
    Object.assign(topic, { activeAt: now, isLive: true, timedOutAt: undefined })
  }

  /** Returns whether the price belongs to a topic that the client has requested. */
  onPrice(name: Name, price: number, now: number): boolean {
    const topic = this.topics[name]
    if (!topic.isRequested) return false
    Object.assign(topic, { activeAt: now, isLive: true, timedOutAt: undefined, price })
    return true
  }

  /** The topic that an error text without an address rejects. The service answers its oldest frame. */
  onErrorText(now: number): Name | undefined {
    const [oldest] = this.unanswered
    if (oldest !== undefined) {
      this.answer(oldest)
      this.topics[oldest].isServed = this.unanswered.includes(oldest)
    }
    const pending = names.filter((name) => this.isPending(name))
    const released = names.filter((name) => now < this.topics[name].answerableUntil)
    const [only, ...others] = [...pending, ...released]
    if (only === undefined || others.length > 0) {
      this.hasText = true
      return undefined
    }
    this.topics[only].answerableUntil = 0
    return this.reject(only)
  }

  /** The topic that an error text with its address rejects. */
  onRejection(name: Name): Name | undefined {
    const topic = this.topics[name]
    this.answer(name)
    topic.isServed = false
    topic.answerableUntil = 0
    const rejected = this.reject(name)
    if (rejected === undefined) this.hasText = true
    return rejected
  }

  private reject(name: Name): Name | undefined {
    const { isRequested, activeAt } = this.topics[name]
    if (!isRequested || activeAt !== undefined) return undefined
    this.forget(name)
    return name
  }

  private answer(name: Name): void {
    const index = this.unanswered.indexOf(name)
    if (index >= 0) this.unanswered.splice(index, 1)
  }
}
