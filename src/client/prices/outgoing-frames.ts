import { unsubscribeFrame } from '../../wire/codec/price-frame.js'
import type { Address } from '../../base/domain/address.js'
import type { Topic } from '../../base/domain/topic.js'
import { copyOf } from '../../base/errors/text.js'
import type { TopicState, TopicTable } from './topics.js'

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

/** What is known of the topics that the client has unsubscribed. */
interface Unsubscribed {
  readonly isRecentlyUnsubscribed: (base: Address, now: number) => boolean
  readonly onUnsubscribe: (base: Address, now: number) => void
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
    private readonly unsubscribed: Unsubscribed,
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
    if (this.queue.size >= maxQueued || this.unsubscribed.isRecentlyUnsubscribed(base, now)) return
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
      this.unsubscribed.onUnsubscribe(base, now)
      frames.push(unsubscribeFrame(topic))
    }
  }

  clear(): void {
    this.removed.clear()
    this.queue.clear()
  }
}

/** A frame of the client that the service has not answered yet. */
interface UnansweredFrame {
  /** `probe`: a subscribe frame of a confirmed topic. */
  readonly kind: 'subscribe' | 'probe' | 'unsubscribe'
  readonly number: number
  readonly topic: UnansweredTopic
  /** Only of a subscribe frame: true if the topic was never requested before on this connection. */
  readonly isFirst: boolean
  previous: UnansweredFrame | undefined
  /** Kept after removal, so that a walk continues from a removed frame. */
  next: UnansweredFrame | undefined
}

/** A topic with unanswered frames. */
interface UnansweredTopic {
  readonly base: Address
  /** The oldest first. */
  readonly frames: UnansweredFrame[]
  /** The number of the last confirmation that listed it. */
  listedBy: number
}

/** More frames are not stored. Then no confirmation answers a probe, until the connection is replaced. */
const maxUnanswered = 100_000

/**
 * The frames of one connection that the service has not answered, in the order in which they were sent. A confirmation says
 * only which topics are subscribed, so it is taken for the answer to the oldest frame that it fits: a probe never counts as
 * answered before it is. The probes and unsubscribe frames before that one were answered, or never will be. The answer to a
 * subscribe frame may still follow: a gateway waits for that of the service.
 *
 * A probe subscribes again to a confirmed topic: its answer shows that later prices were sent after it.
 */
export class UnansweredFrames {
  private readonly topics = new Map<Address, UnansweredTopic>()
  private first: UnansweredFrame | undefined
  private last: UnansweredFrame | undefined
  size = 0
  probeCount = 0
  private lastNumber = 0
  private confirmations = 0
  /** Whether the service answers unsubscribe frames: `undefined` as long as it has not become known. */
  private answersUnsubscribes: boolean | undefined

  onSent(kind: UnansweredFrame['kind'], base: Address, isFirst = false): void {
    if (this.size === maxUnanswered) {
      this.clear()
      this.size = Infinity
    }
    if (this.size === Infinity) return
    const topic = this.topics.get(base) ?? { base, frames: [], listedBy: 0 }
    this.topics.set(base, topic)
    const previous = this.last
    const frame = { kind, number: ++this.lastNumber, topic, isFirst, previous, next: undefined }
    topic.frames.push(frame)
    if (previous === undefined) this.first = frame
    else previous.next = frame
    this.last = frame
    this.size++
    if (kind === 'probe') this.probeCount++
  }

  /** Called for each confirmation, with its topics. Returns the number of probes that are answered by it. */
  onConfirmation(bases: Iterable<Address>): number {
    const number = ++this.confirmations
    // The topics that a confirmation lists were requested before the frame that it answers.
    let from = 0
    for (const base of bases) {
      const topic = this.topics.get(base)
      if (topic === undefined) continue
      topic.listedBy = number
      const [first] = topic.frames
      if (first?.isFirst === true) from = Math.max(from, first.number)
    }
    const before = this.probeCount
    const answered = this.findAnswered(from, number) ?? 0
    for (let frame = this.first; frame !== undefined && frame.number <= answered; frame = frame.next)
      if (frame.kind !== 'subscribe' || frame.topic.listedBy === number) this.remove(frame)
    return before - this.probeCount
  }

  /** True if a probe that subscribes to this topic waits for an answer. */
  isProbing(base: Address): boolean {
    return this.topics.get(base)?.frames.some(({ kind }) => kind === 'probe') ?? false
  }

  clear(): void {
    this.topics.clear()
    this.first = this.last = this.answersUnsubscribes = undefined
    this.size = this.probeCount = 0
  }

  /** The number of the oldest frame, from a number on, whose answer the confirmation may be. */
  private findAnswered(from: number, confirmation: number): number | undefined {
    let unsubscribe: number | undefined
    let hasSkipped = false
    for (let frame = this.first; frame !== undefined; frame = frame.next) {
      const { kind, number, topic } = frame
      if (kind === 'unsubscribe') {
        // Some services keep the topic, so the answer may list it.
        if (number < from) hasSkipped = true
        else unsubscribe ??= number
      } else if (number >= from && topic.listedBy === confirmation) {
        if (unsubscribe !== undefined && this.answersUnsubscribes !== false) return unsubscribe
        if (hasSkipped) this.answersUnsubscribes ??= false
        return number
      }
    }
    if (unsubscribe !== undefined) this.answersUnsubscribes = true
    return unsubscribe
  }

  private remove(frame: UnansweredFrame): void {
    const { frames, base } = frame.topic
    const index = frames.indexOf(frame)
    // A topic that is unsubscribed needs no answers to earlier requests.
    const first = frame.kind === 'unsubscribe' ? 0 : index
    for (const { kind, previous, next } of frames.splice(first, index - first + 1)) {
      if (previous === undefined) this.first = next
      else previous.next = next
      if (next === undefined) this.last = previous
      else next.previous = previous
      this.size--
      if (kind === 'probe') this.probeCount--
    }
    if (frames.length === 0) this.topics.delete(base)
  }
}
