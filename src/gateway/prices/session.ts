import type { Writable } from 'node:stream'
import { Subscription, timer } from 'rxjs'
import type { WebSocket } from 'ws'
import type { GatewayDisconnectCause } from '../../diagnostics/messages.js'
import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import { closeReason } from './close-reason.js'
import type { FrameBatch } from './frame-batch.js'
import type { Outbox, Recipient } from './outbox.js'
import type { Pinged } from './ping-all.js'
import { textFrame, type TextFrame } from './text-frame.js'
import type { TopicConsumer } from '../demand/topic-consumer.js'
import type { TopicFeed } from '../demand/topic-feed.js'

type OwnCause = Extract<GatewayDisconnectCause, 'too-far-behind' | 'service-down' | 'closing'>

/** The close codes of a server that cannot serve now, and of one that shuts down (IANA's registry of close codes). */
const closeCodes: Readonly<Record<OwnCause, number>> = {
  'service-down': 1013,
  'too-far-behind': 1013,
  closing: 1001,
}

/** The time that a consumer too far behind has to read its backlog and the close frame, in ms. */
const backlogTime = 10_000

export interface SessionConfig {
  readonly outbox: Outbox
  readonly maxBufferedBytes: number
  /** Called when the connection has ended, for each of its topics. */
  readonly onLeft: (feed: TopicFeed<TextFrame>) => void
}

/** A confirmation lists all topics of the connection up to this number, and above it the new one only. */
const maxListedTopics = 64

/** The connection of one consumer, and the topics that it wants. */
export class Session implements Pinged, Recipient, TopicConsumer<TextFrame> {
  readonly feeds = new Map<Address, TopicFeed<TextFrame>>()
  batch: FrameBatch | undefined
  private unansweredPings = 0
  private cause: GatewayDisconnectCause = 'consumer'
  private bytes = 0
  private isEnding = false
  private readonly endTimer = new Subscription()

  constructor(
    private readonly webSocket: Pick<WebSocket, 'readyState' | 'OPEN' | 'ping' | 'close' | 'terminate'>,
    /** The socket below the WebSocket. A write to it costs less than a message of `ws`, and may hold several frames. */
    private readonly socket: Pick<Writable, 'write' | 'writableLength'>,
    private readonly config: SessionConfig,
  ) {}

  /** Why the connection has ended. */
  get endCause(): GatewayDisconnectCause {
    return this.cause
  }

  /** Size of the frames that were written, in bytes. */
  get sentBytes(): number {
    return this.bytes
  }

  get bufferedBytes(): number {
    return this.socket.writableLength
  }

  sendText(text: string): void {
    this.send(textFrame(text))
  }

  readonly send = (frame: TextFrame): void => {
    if (!this.isEnding) this.config.outbox.add(this, frame)
  }

  readonly write = (bytes: Uint8Array): void => {
    if (this.webSocket.readyState !== this.webSocket.OPEN) return
    this.socket.write(bytes)
    this.bytes += bytes.length
    const { maxBufferedBytes } = this.config
    if (!this.isEnding && this.socket.writableLength > maxBufferedBytes)
      this.end(
        'too-far-behind',
        `too far behind: more than ${maxBufferedBytes} bytes are unsent`,
        backlogTime,
      )
  }

  readonly confirm = (topic: Topic): void => {
    this.sendConfirmation(this.feeds.size <= maxListedTopics ? this.confirmedTopics : [topic])
  }

  /** Answers an unsubscribe message. */
  confirmRest(): void {
    this.sendConfirmation(this.feeds.size <= maxListedTopics ? this.confirmedTopics : [])
  }

  readonly reject = (base: Address, errorText: string): void => {
    this.feeds.delete(base)
    this.sendText(errorText)
  }

  /** Pings the consumer, or ends its connection if it has not answered this many pings. */
  readonly ping = (maxUnanswered: number): void => {
    if (this.unansweredPings >= maxUnanswered) {
      if (!this.isEnding) this.cause = 'no-pong'
      return this.webSocket.terminate()
    }
    this.unansweredPings++
    if (!this.isEnding) this.webSocket.ping()
  }

  onPong(): void {
    this.unansweredPings = 0
  }

  /** Leaves all topics and sends a close frame. Ends the connection if the consumer does not within `ms`. */
  end(cause: OwnCause, reason: string, ms: number): void {
    if (this.isEnding) return
    this.isEnding = true
    this.cause = cause
    this.config.outbox.flushOne(this)
    this.leaveTopics()
    this.webSocket.close(closeCodes[cause], closeReason(reason))
    this.endTimer.add(timer(ms).subscribe(() => this.webSocket.terminate()))
  }

  /** Called when the connection is closed. */
  onClosed(): void {
    this.isEnding = true
    this.endTimer.unsubscribe()
    this.leaveTopics()
  }

  private leaveTopics(): void {
    const feeds = [...this.feeds.values()]
    this.feeds.clear()
    for (const feed of feeds) {
      feed.remove(this)
      this.config.onLeft(feed)
    }
  }

  private get confirmedTopics(): readonly string[] {
    return [...this.feeds.values()].filter(({ isConfirmed }) => isConfirmed).map(({ topic }) => topic)
  }

  private sendConfirmation(subscriptions: readonly string[]): void {
    this.sendText(JSON.stringify({ subscriptions }))
  }
}
