import { isLeft } from 'fp-ts/lib/Either.js'
import type { Topic } from '../../base/domain/topic.js'
import { decodeClientMessage } from './client-message.js'
import { ConsumerOutput, type OutputConfig } from './consumer-output.js'
import { confirmationText } from './text-frame.js'
import type { Session, Sessions } from '../subscriptions/sessions.js'
import type { ConsumedTopic } from '../subscriptions/topic-feed.js'

export interface ConnectionConfig extends OutputConfig {
  readonly sessions: Pick<Sessions<Connection>, 'topicOf' | 'subscribe' | 'unsubscribe' | 'leaveTopics'>
}

/** The connection of one consumer: its messages, the topics that it wants, and the answers. */
export class Connection extends ConsumerOutput<ConnectionConfig> implements Session<Connection> {
  readonly feeds: Session<Connection>['feeds'] = new Map()

  protected leaveTopics(): void {
    this.config.sessions.leaveTopics(this)
  }

  /**
   * Answers a subscribe message and sends the last price; without a topic, answers an unsubscribe message. A page repeats a subscribe
   * message as a ping: its answer waits like a pong, and later answers wait too, to keep the order.
   */
  confirm(topic?: ConsumedTopic, isRepeated = false): void {
    const isHeld = isRepeated || this.held.hasConfirmations
    // Prices of the topic may precede an answer that waits, and are left out while the first probe is unanswered.
    const hasPosition = !isHeld && !this.isWaiting
    if (topic !== undefined && !hasPosition && !isRepeated) this.held.miss(topic)
    const text = confirmationText(topic, this.feeds, hasPosition)
    if (isHeld) {
      this.held.addConfirmation({ text, isUnproven: isRepeated ? this.requestProbe() : undefined })
      if (this.held.size === 1) this.sendHeld()
    } else this.sendText(text)
    if (topic === undefined || isRepeated) return
    // Once it is known to be current.
    if (topic.isUncertain()) this.held.add(topic)
    const frame = topic.currentFrame()
    if (frame !== undefined) this.send(frame, topic, false)
  }

  reject(topic: ConsumedTopic, errorText: string): void {
    this.held.delete(topic)
    this.sendText(errorText)
  }

  /** Every message is answered. Returns true if the service is asked for a further topic. */
  onText(text: string): boolean {
    if (this.isEnding) return false
    const { sessions } = this.config
    const message = decodeClientMessage(text)
    if (isLeft(message)) return this.refuse(message.left.message)
    const topic = sessions.topicOf(message.right.topic)
    if (isLeft(topic)) return this.refuse(topic.left)
    if (message.right.method === 'subscribe') return this.subscribe(topic.right)
    const left = sessions.unsubscribe(this, topic.right)
    if (left !== undefined) this.held.delete(left)
    this.confirm()
    return false
  }

  private subscribe(requested: Topic): boolean {
    const { sessions } = this.config
    const subscribed = sessions.subscribe(this, requested)
    if (isLeft(subscribed)) {
      this.sendText(subscribed.left)
      return false
    }
    const { feed, isRepeated } = subscribed.right
    this.requestFirstProbe()
    if (feed.isConfirmed) this.confirm(feed, isRepeated)
    return feed.start()
  }

  onBinary(): boolean {
    return this.refuse('expected a text frame')
  }

  private refuse(problem: string): false {
    this.sendText(`Invalid request: ${problem}`)
    return false
  }
}
