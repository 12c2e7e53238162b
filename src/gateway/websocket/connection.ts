import { isLeft } from 'fp-ts/lib/Either.js'
import type { PriceFeed } from '../../client/price-feed.js'
import { unboundedPayload } from '../../wire/transport/ports.js'
import type { Topic } from '../../base/domain/topic.js'
import { AckWindow } from './ack-window.js'
import { decodeClientMessage } from './client-message.js'
import { ConsumerSocket } from './consumer-socket.js'
import { HeldFrames } from './held-frames.js'
import type { ConsumerStream, ConsumerWebSocket, TextFrame } from './text-frame.js'
import { confirmationText, textFrame } from './text-frame.js'
import type { Outbox } from './outbox.js'
import type { Pinged } from './ping-timer.js'
import type { EndCause, Session, Sessions } from '../subscriptions/sessions.js'
import type { ConsumedTopic } from '../subscriptions/topic-feed.js'

/** The time from the close frame to the end of the connection, in ms. */
const closeTime = 400

/** Grace period of a slow consumer, in which it can read its backlog and the close frame, in ms. */
export const backlogTime = 10_000

/** A price that becomes stale when it was held for longer ends the connection: a pong would make an earlier one current. In ms. */
const longHold = 5_000

/** Shared by the connections of a gateway. */
export interface ConnectionConfig {
  readonly sessions: Pick<Sessions<Connection>, 'topicOf' | 'subscribe' | 'unsubscribe' | 'leaveTopics'>
  readonly feed: Pick<PriceFeed, 'isUpToDate' | 'isBounded' | 'requestProbe'>
  readonly outbox: Outbox
  readonly maxBufferedBytes: number
  /** Monotonic time in which the event loop was responsive, in ms. */
  readonly now: () => number
  /** Called when the consumer falls behind: it may no longer get every price. */
  readonly onBehind: () => void
  /** Called when the consumer gets every price again. `dropped`: number of prices that were dropped in this time. */
  readonly onCaughtUp: (behindForMs: number, dropped: number) => void
}

/** The shortest time between two probes of the service for one consumer, in ms: that of a client. */
const shortestSpacing = 5

/** With more topics than this, the first pong may have waited after the subscribe messages. */
const maxDirectTopics = 10

/**
 * The connection of one consumer, and the topics that it wants. While the consumer is behind, the newest price of each
 * topic is held. It is sent with its age when there is room.
 */
export class Connection implements Session<Connection>, Pinged {
  readonly feeds: Session<Connection>['feeds'] = new Map()
  readonly socket: ConsumerSocket
  private readonly window = new AckWindow()
  private readonly held = new HeldFrames()
  /** True until the service has answered the first probe for this consumer, which follows its first topic. */
  private isFirstUnproven: (() => boolean) | undefined
  /** When the consumer asked for a proven answer for the last time. */
  private askedAt: number
  /** True while every price is sent. */
  private isFree = true
  private wasBehind = false
  /** True if nothing was sent since the last check, while the consumer is behind. */
  private maySend = true
  private behindSince = 0
  /** Number of prices that were not sent, because a newer one replaced them or their topic was no longer live. */
  droppedPrices = 0
  private droppedBefore = 0
  /** The number of unsent bytes above which the connection is ended. Prices written before a hold do not count. */
  private maxUnsent: number
  private unwrittenTexts = 0
  private pausedBefore = 0

  constructor(
    webSocket: ConsumerWebSocket,
    stream: ConsumerStream,
    private readonly config: ConnectionConfig,
    /** The time in which the consumer was not read, because it had sent too much, in ms. */
    private readonly pausedMs: () => number = () => 0,
  ) {
    this.socket = new ConsumerSocket(webSocket, stream, config.outbox, (bytes) => this.onWritten(bytes))
    this.maxUnsent = config.maxBufferedBytes
    this.askedAt = config.now()
  }

  /** True while the consumer does not get every price, because it reads too slowly. */
  get isBehind(): boolean {
    return this.window.isBehind
  }

  sendText(text: string): void {
    if (this.socket.isEnding) return
    const frame = textFrame(text)
    this.unwrittenTexts += frame.length
    this.socket.add(frame)
    this.window.probe(this.socket.pendingBytes)
    this.onWindowChanged()
  }

  /** Sends a price. `isNew`: it comes from the service now; false for the last price of a topic that is added. */
  readonly send = (frame: TextFrame, topic: ConsumedTopic, isNew = true): void => {
    if (!this.isFree) return this.sendLimited(frame, topic, isNew)
    this.socket.add(this.held.isEmpty ? frame : this.countable(frame, topic))
  }

  /**
   * Answers a subscribe message and sends the last price, or answers an unsubscribe message, without a topic. A page repeats a subscribe message as a ping:
   * its answer waits for the same as a pong. The later ones keep the order.
   */
  readonly confirm = (topic?: ConsumedTopic, isRepeated = false): void => {
    const isHeld = isRepeated || this.held.hasConfirmations
    const bytes = this.window.unacknowledged + this.unwrittenTexts
    // Prices of the topic may precede an answer that waits, and are left out while the first probe is unanswered.
    const hasPosition = !isHeld && !this.isWaiting
    if (topic !== undefined && !hasPosition && !isRepeated) this.held.miss(topic)
    const text = confirmationText(topic, this.feeds, bytes, hasPosition)
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

  readonly reject = (topic: ConsumedTopic, errorText: string): void => {
    this.held.delete(topic)
    this.sendText(errorText)
  }

  /** Called when the connection is open. The first ping measures the round trip, before there is data. */
  open(): void {
    this.window.openedAt = this.now()
    this.mark()
  }

  /**
   * Monotonic time in which the consumer was read, in ms: answers that it has sent behind other messages are late only by
   * this time.
   */
  private now(): number {
    return this.config.now() - this.pausedMs()
  }

  /** Pings the consumer, or ends its connection if it has not answered this many pings while it was read. */
  readonly ping = (maxUnanswered: number): void => {
    const pausedMs = this.pausedMs()
    if (pausedMs > this.pausedBefore) this.socket.unansweredPings = 0
    this.pausedBefore = pausedMs
    if (this.socket.countPing(maxUnanswered) && !this.socket.isEnding) this.mark()
  }

  readonly check = (): void => {
    if (this.socket.isEnding) return
    const { window } = this
    const now = this.now()
    this.maySend = true
    if (!this.isFree) this.onWindowChanged()
    if (this.held.size > 0 && !window.isHolding) this.sendHeld()
    if (window.isMarkerDue(now)) this.mark()
    if (window.isLate(now)) {
      window.failProbe()
      if (!window.isHolding) this.hold()
      this.onWindowChanged()
    } else if (window.isHolding && !window.hasAnswered && !window.isAwaitingFirst(now)) {
      window.giveUp()
      this.releaseHeld()
      this.onWindowChanged()
    }
  }

  /** Every message is answered. Returns true if the service is asked for a further topic. */
  onText(text: string): boolean {
    if (this.socket.isEnding) return false
    this.onMessage()
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

  /**
   * A consumer takes all prices of a new connection for newer than the connection, so they wait for the answer to a probe that
   * follows its first topic.
   */
  private subscribe(requested: Topic): boolean {
    const { sessions } = this.config
    const subscribed = sessions.subscribe(this, requested)
    if (isLeft(subscribed)) {
      this.sendText(subscribed.left)
      return false
    }
    const { feed, isRepeated, isNew } = subscribed.right
    this.isFirstUnproven ??= this.config.feed.requestProbe(0)
    this.onWindowChanged()
    if (feed.isConfirmed) this.confirm(feed, isRepeated)
    feed.start()
    return isNew
  }

  onBinary(): void {
    this.onMessage()
    this.refuse('expected a text frame')
  }

  private refuse(problem: string): false {
    this.sendText(`Invalid request: ${problem}`)
    return false
  }

  private onMessage(): void {
    if (this.window.hasAnswered) return
    const now = this.now()
    this.window.messageAt = now
    if (!this.socket.isEnding && !this.window.isHolding && this.window.isUploading(now)) this.hold()
  }

  /**
   * Answers a ping after the held prices, when the gateway is current, because data before a pong count as current, and when
   * the service has answered a later probe, because data after a pong count as newer than the ping.
   */
  onPing(payload: Buffer): void {
    this.held.addPong({ payload, isUnproven: this.requestProbe() })
    if (this.held.size === 1) this.sendHeld()
  }

  /** True while no price may be sent. */
  private get isWaiting(): boolean {
    return this.isFirstUnproven?.() === true
  }

  /**
   * For a message that asks for an answer. Requests are as far apart as those of this consumer before: the probes are as many as
   * those of the consumer that asks most often. Returns a function that returns true until the answer may be sent.
   */
  private requestProbe(): () => boolean {
    const { askedAt } = this
    this.askedAt = this.config.now()
    return this.config.feed.requestProbe(Math.max(shortestSpacing, this.askedAt - askedAt))
  }

  /** The service has answered a probe. */
  onMeasured(): void {
    if (this.held.size > 0) this.check()
  }

  private pong(payload: Buffer): void {
    this.socket.flush()
    const { webSocket } = this.socket
    if (!this.config.feed.isBounded()) webSocket.pong(unboundedPayload)
    webSocket.pong(payload)
    this.endOverflow()
  }

  /** A pong with any payload shows that the consumer is alive. */
  onPong(payload: string): void {
    this.socket.unansweredPings = 0
    if (this.socket.isEnding) return
    const { window } = this
    const isDirect = window.hasAnswered || this.feeds.size <= maxDirectTopics
    window.onAck(Number(payload), this.now(), isDirect)
    // Unsent data cannot have been acknowledged: a consumer that forges pongs would get prices without end.
    if (this.socket.unsentBytes > window.unacknowledged + this.config.maxBufferedBytes) {
      return this.endTooFarBehind()
    }
    if (window.isDrained) this.releaseHeld()
    else this.check()
    this.onWindowChanged()
  }

  /** Leaves all topics and sends a close frame. Ends the connection if the consumer does not end it within `ms`. */
  readonly end = (cause: EndCause, reason: string, ms = closeTime): void => {
    if (this.socket.isEnding) return
    this.isFree = false
    this.socket.end(cause, reason, ms)
    this.config.sessions.leaveTopics(this)
  }

  onClosed(): void {
    this.isFree = false
    this.socket.onClosed()
  }

  /**
   * Sends a price in this tick if there is room, and otherwise holds it. While the window is narrow, prices are sent in
   * only one tick between two checks: a write per price to each of many slow consumers would block the event loop.
   */
  private sendLimited(frame: TextFrame, topic: ConsumedTopic, isNew: boolean): void {
    const { socket, window, held } = this
    if (socket.isEnding) return
    if (this.isWaiting) return held.add(topic)
    const maySend = !window.isHolding && (this.maySend || socket.batch !== undefined || !window.isNarrow)
    const pending = socket.pendingBytes
    const isLive = isNew && window.hasLiveRoom(frame.length, pending)
    if (isLive || (maySend && window.hasRoom(frame.length, pending))) {
      this.maySend = false
      if (held.has(topic)) this.droppedPrices++
      return socket.add(this.countable(frame, topic))
    }
    if (held.has(topic)) this.droppedPrices++
    else held.add(topic)
    if (maySend) this.hold()
  }

  /** The frame has a position if the consumer may not have the price before it. */
  private countable(frame: TextFrame, topic: ConsumedTopic): TextFrame {
    const { held } = this
    const counted = held.hasGap(topic) ? topic.currentFrame() : frame
    held.delete(topic)
    if (counted === undefined) held.miss(topic)
    return counted ?? frame
  }

  /** Holds prices until a marker after all written data is answered. */
  private hold(): void {
    this.socket.flush()
    this.window.isHolding = true
    this.maxUnsent = this.config.maxBufferedBytes + this.socket.unsentBytes
    if (this.window.isUnmarked) this.mark()
    this.onWindowChanged()
  }

  private releaseHeld(): void {
    const { window } = this
    window.isHolding = false
    this.maxUnsent = this.config.maxBufferedBytes
    // A round trip without data before its ping.
    if (!window.isUnmarked) this.mark()
    this.sendHeld()
  }

  /** Sends the newest price of each topic, until there is no more room. */
  private sendHeld(): void {
    const { socket, window, held } = this
    this.maySend = false
    if (!this.config.feed.isUpToDate()) return
    for (const topic of held.sendable()) {
      if (!('base' in topic)) {
        if ('payload' in topic) this.pong(topic.payload)
        else this.sendText(topic.text)
        if (window.isHolding) return
        continue
      }
      if (this.isWaiting) continue
      const frame = topic.currentFrame()
      if (frame === undefined) {
        if (this.wasBehind && this.now() - this.behindSince > longHold)
          return this.endTooFarBehind(`the price of ${topic.topic} was not sent before it became stale`)
        this.droppedPrices++
        held.miss(topic)
        continue
      }
      const pending = socket.pendingBytes
      window.probe(pending + frame.length)
      if (!window.hasRoom(frame.length, pending)) return this.hold()
      held.delete(topic)
      socket.add(frame)
    }
    socket.flush()
  }

  private onWritten(bytes: number): void {
    this.unwrittenTexts = 0
    this.window.onWritten(bytes)
    this.endOverflow()
  }

  /** Holds prices if too much is unsent. Ends a consumer that is behind in other frames, or answers no ping. */
  private endOverflow(): void {
    if (this.socket.isEnding || this.socket.unsentBytes <= this.maxUnsent) return
    if (this.window.hasAnswered && !this.window.isHolding) this.hold()
    else this.endTooFarBehind()
  }

  private endTooFarBehind(problem = `more than ${this.config.maxBufferedBytes} bytes are unsent`): void {
    this.end('too-far-behind', `too far behind: ${problem}`, backlogTime)
  }

  private onWindowChanged(): void {
    if (this.socket.isEnding) return
    const { isBehind, isLimited } = this.window
    this.isFree = !isLimited && !this.isWaiting
    if (isBehind === this.wasBehind) return
    this.wasBehind = isBehind
    const now = this.now()
    if (isBehind) {
      this.behindSince = now
      this.droppedBefore = this.droppedPrices
      this.config.onBehind()
    } else this.config.onCaughtUp(Math.round(now - this.behindSince), this.droppedPrices - this.droppedBefore)
  }

  /** Writes the pending frames, then a ping. */
  private mark(): void {
    this.socket.flush()
    if (!this.socket.isEnding) this.socket.webSocket.ping(String(this.window.mark(this.now())))
  }
}
