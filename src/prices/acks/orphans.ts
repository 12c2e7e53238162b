import { unsubscribeFrame } from '../../codec/price-frame.js'
import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import { copyOf } from '../../errors/text.js'
import type { TopicTable } from '../topic-table.js'
import type { PendingAcks } from './pending-acks.js'

/** A topic in a frame of the service. */
export interface EchoedTopic {
  readonly base: Address
  /** As the service spells it, without a quote address. */
  readonly topic: Topic
}

/** The maximum number of removed topics that are stored. The oldest are dropped. */
const maxRemoved = 10_000

/** The maximum number of queued topics. A confirmation after their unsubscribe frames lists the others again. */
const maxQueued = 10_000

/** The topics that the service keeps subscribed although the client no longer requests them. They are unsubscribed. */
export class Orphans {
  /** The topics that were rejected or unsubscribed. A later price shows that the service has subscribed one all the same. */
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

  /** The client sends a subscribe frame. A topic that loses its subscribers before that remains an orphan. */
  onRequested(base: Address): void {
    this.removed.delete(base)
    this.queue.delete(base)
  }

  /** A confirmation lists a topic that is not requested. A frame for a recently unsubscribed topic is a late one. */
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
