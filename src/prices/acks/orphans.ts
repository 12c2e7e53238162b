import { unsubscribeFrame } from '../../codec/outgoing-frame.js'
import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import type { PendingAcks } from './pending-acks.js'

/** A topic in a frame of the service. */
export interface EchoedTopic {
  readonly base: Address
  /** As the service spells it, without a quote address. */
  readonly topic: Topic
}

/** The topics of one connection that the service has subscribed and the client does not keep. They are unsubscribed. */
export class Orphans {
  /** The topics that the service has rejected. A later price shows that they are subscribed all the same. */
  private readonly rejected = new Set<Address>()
  private readonly queue = new Map<Address, Topic>()

  constructor(private readonly acks: PendingAcks) {}

  get size(): number {
    return this.queue.size
  }

  onRejection(base: Address): void {
    this.rejected.add(base)
  }

  /** The client keeps the topic again. */
  onKept(base: Address): void {
    this.rejected.delete(base)
    this.queue.delete(base)
  }

  /** A confirmation lists a topic that is not kept. A frame for a recently unsubscribed topic is a late one. */
  onConfirmation({ base, topic }: EchoedTopic, now: number): void {
    if (!this.acks.isRecentlyUnsubscribed(base, now)) this.queue.set(base, topic)
  }

  /** A price arrives for a topic that is not kept. */
  onPrice(echoed: EchoedTopic, now: number): void {
    if (this.rejected.has(echoed.base)) this.onConfirmation(echoed, now)
  }

  /** Dequeues at most `limit` unsubscribe frames. */
  takeFrames(limit: number, now: number): string[] {
    const frames: string[] = []
    for (const [base, topic] of this.queue) {
      if (frames.length >= limit) break
      this.queue.delete(base)
      this.acks.onUnsubscribe(base, now)
      frames.push(unsubscribeFrame(topic))
    }
    return frames
  }

  clear(): void {
    this.rejected.clear()
    this.queue.clear()
  }
}
