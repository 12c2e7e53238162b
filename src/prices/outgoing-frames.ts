import { unsubscribeFrame } from '../codec/price-frame.js'
import type { Address } from '../domain/address.js'
import type { Topic } from '../domain/topic.js'
import { copyOf } from '../errors/text.js'
import type { Prober, ProbeSupport } from '../socket/liveness.js'
import type { PendingAcks } from './acks.js'
import { isUnconfirmed, phaseOf, type TopicState, type TopicTable } from './topics.js'

/** The topics of one connection that may need a frame, in the order of their requests. */
export class FrameQueue {
  private readonly dueTopics = new Set<TopicState>()
  private readonly repeatedTopics = new Set<TopicState>()

  /** The topics whose frame must not wait. */
  get due(): Iterable<TopicState> {
    return this.dueTopics
  }

  /**
   * The topics with a repeated subscribe frame. Such a frame may have to wait for the answers to other subscribe
   * frames.
   */
  get repeated(): Iterable<TopicState> {
    return this.repeatedTopics
  }

  get hasDue(): boolean {
    return this.dueTopics.size > 0
  }

  get hasRepeated(): boolean {
    return this.repeatedTopics.size > 0
  }

  isDue(state: TopicState): boolean {
    return this.dueTopics.has(state)
  }

  add(state: TopicState): void {
    this.repeatedTopics.delete(state)
    this.dueTopics.add(state)
  }

  addRepeated(state: TopicState): void {
    if (!this.isDue(state)) this.repeatedTopics.add(state)
  }

  delete(state: TopicState): void {
    this.dueTopics.delete(state)
    this.repeatedTopics.delete(state)
  }

  clear(): void {
    this.dueTopics.clear()
    this.repeatedTopics.clear()
  }
}

/** A topic in a frame of the service. */
export interface EchoedTopic {
  readonly base: Address
  /** In the spelling of the service, without a quote address. */
  readonly topic: Topic
}

/** The maximum number of removed topics that are stored. The oldest are dropped. */
const maxRemoved = 10_000

/**
 * The maximum number of queued topics. Further topics are listed again by a confirmation after the unsubscribe frames.
 */
const maxQueued = 10_000

/** The topics that the service keeps subscribed although the client does not request them. They are unsubscribed. */
export class UnrequestedTopics {
  /**
   * The topics that were rejected or unsubscribed. A later price shows that the service has subscribed such a topic
   * anyway.
   */
  private readonly removed = new Set<Address>()
  private readonly queue = new Map<Address, Topic>()

  constructor(
    private readonly topics: TopicTable,
    private readonly acks: PendingAcks,
  ) {}

  get size(): number {
    return this.queue.size
  }

  /** The client no longer keeps a topic that it has requested. */
  onRemoved(base: Address): void {
    this.removed.delete(base)
    this.removed.add(base)
    const [oldest] = this.removed
    if (this.removed.size > maxRemoved && oldest !== undefined) this.removed.delete(oldest)
  }

  /** The client sends a subscribe frame. A topic that lost its subscribers before remains queued. True if it was removed. */
  onRequested(base: Address): boolean {
    this.queue.delete(base)
    return this.removed.delete(base)
  }

  /** A confirmation lists a topic that is not requested. A frame for a recently unsubscribed topic is a late frame. */
  onConfirmation({ base, topic }: EchoedTopic, now: number): void {
    if (this.queue.size >= maxQueued || this.acks.isRecentlyUnsubscribed(base, now)) return
    // Copied, because both are parts of the service's topic, which may fill a frame.
    this.queue.set(copyOf(base), copyOf(topic))
  }

  /** A price arrives for a topic that is not requested. */
  onPrice(echoed: EchoedTopic, now: number): void {
    if (this.removed.has(echoed.base)) this.onConfirmation(echoed, now)
  }

  /** Dequeues unsubscribe frames and appends them, until there are `limit` frames. */
  takeFrames(limit: number, now: number, frames: string[]): void {
    for (const [base, topic] of this.queue) {
      if (frames.length >= limit) break
      // Its subscribe frame is due.
      if (this.topics.has(base)) continue
      this.queue.delete(base)
      this.acks.onUnsubscribe(base, now)
      frames.push(unsubscribeFrame(topic))
    }
  }

  clear(): void {
    this.removed.clear()
    this.queue.clear()
  }
}

/** Probes a service by subscribing again to a topic, because the service answers each frame. */
export class SubscribeProber implements Prober {
  constructor(
    private readonly topics: TopicTable,
    private readonly support: ProbeSupport,
    /** Sends a subscribe frame of the topic. */
    private readonly send: (state: TopicState) => void,
  ) {}

  readonly probe = (): boolean => {
    const state = this.findTopic()
    if (state !== undefined) this.send(state)
    return state !== undefined
  }

  /** The answer to a probe of an unconfirmed topic is its confirmation, or a rejection. */
  readonly isRecognisable = (): boolean => {
    const state = this.findTopic()
    return state !== undefined && !isUnconfirmed(state)
  }

  /** Until a probe was answered, only the silence of all topics shows that the connection is lost. */
  readonly isConclusive = (): boolean => this.support.isProven || this.isSilent()

  /** A confirmed topic if there is any, because its answer confirms or rejects no topic. */
  private findTopic(): TopicState | undefined {
    let found: TopicState | undefined
    for (const state of this.topics.states) {
      if (state.subscribeSentAt === undefined) continue
      if (!isUnconfirmed(state)) return state
      found = state
    }
    return found
  }

  private isSilent(): boolean {
    for (const state of this.topics.states) {
      const phase = phaseOf(state)
      if (phase !== 'stale' && phase !== 'timed-out') return false
    }
    return true
  }
}
