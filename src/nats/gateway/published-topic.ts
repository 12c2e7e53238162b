import type { Address } from '../../domain/address.js'
import type { TopicConsumer } from '../../gateway/demand/topic-consumer.js'
import type { TopicFeed } from '../../gateway/demand/topic-feed.js'
import type { Publisher } from './publisher.js'
import type { TopicSession } from './topic-session.js'

/** One topic: its updates are published once for all sessions that want it. */
export class PublishedTopic implements TopicConsumer<string> {
  readonly sessions = new Set<TopicSession>()
  /** The sessions whose subscribe message is answered when the service confirms the topic. */
  private readonly unanswered = new Set<TopicSession>()
  private sequence: number
  /** The number of the last update among those of all topics. */
  private publication = 0

  constructor(
    readonly feed: TopicFeed<string>,
    private readonly publisher: Publisher,
    private readonly onRejected: (topic: PublishedTopic) => void,
  ) {
    this.sequence = publisher.startSequence()
  }

  get base(): Address {
    return this.feed.base
  }

  /** The sequence number of the last update, if it is among those after `publication`. */
  sequenceSince(publication: number): number | undefined {
    return this.publication > publication ? this.sequence : undefined
  }

  /** Answers a subscribe message, now or once the service has confirmed the topic. */
  join(session: TopicSession): void {
    this.sessions.add(session)
    if (this.feed.isConfirmed) return this.confirmTo(session)
    this.unanswered.add(session)
    this.feed.answer(this)
  }

  leave(session: TopicSession): void {
    this.sessions.delete(session)
    this.unanswered.delete(session)
  }

  readonly send = (frame: string): void => {
    this.publication = this.publisher.publishPrice(this.base, ++this.sequence, frame)
  }

  readonly confirm = (): void => {
    for (const session of this.unanswered) this.confirmTo(session)
    this.unanswered.clear()
  }

  readonly reject = (_base: Address, text: string): void => {
    for (const session of this.sessions) session.reject(this.base, text)
    this.sessions.clear()
    this.unanswered.clear()
    this.onRejected(this)
  }

  private confirmTo(session: TopicSession): void {
    const { base, feed, publisher, sequence } = this
    const frame = feed.currentFrame()
    const price = frame === undefined ? {} : { price: { frame, time: publisher.time() } }
    session.confirm(base, feed.topic, sequence, price)
  }
}
