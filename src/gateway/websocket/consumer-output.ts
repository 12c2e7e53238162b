import { Subscription, timer } from 'rxjs'
import type { PriceFeed } from '../../client/price-feed.js'
import { unboundedPayload } from '../../wire/transport/ports.js'
import type { GatewayDisconnectCause } from '../../base/diagnostics/messages.js'
import type { GatewaySetup } from '../options.js'
import { closeCodes, type EndCause } from '../subscriptions/sessions.js'
import type { ConsumedTopic } from '../subscriptions/topic-feed.js'
import { AckWindow } from './ack-window.js'
import { HeldFrames } from './held-frames.js'
import type { FrameBatch, Outbox, Recipient } from './outbox.js'
import {
  closeReason,
  textFrame,
  type ConsumerStream,
  type ConsumerWebSocket,
  type TextFrame,
} from './text-frame.js'

/** The time from the close frame to the end of the connection, in ms. */
const closeTime = 400

/** Grace period of a slow consumer, in which it can read its backlog and the close frame, in ms. */
export const backlogTime = 10_000

/** A price that becomes stale when it was held for longer ends the connection: a pong would make an earlier one current. In ms. */
const longHold = 5_000

export interface OutputConfig extends Pick<GatewaySetup, 'maxBufferedBytes' | 'report'> {
  readonly feed: Pick<PriceFeed, 'isUpToDate' | 'isBounded' | 'requestProbe'>
  readonly outbox: Outbox
  /** Monotonic time in which the event loop was responsive, in ms. */
  readonly now: () => number
}

/** The shortest time between two probes of the service for one consumer, in ms: that of a client. */
const shortestSpacing = 5

/** With more topics than this, the first pong may have waited after the subscribe messages. */
const maxDirectTopics = 10

/**
 * What one consumer receives: one write for the frames of a tick, pings and pongs, and the end of the connection. While the
 * consumer is behind, the newest price of each topic is held. It is sent with its age when there is room.
 */
export abstract class ConsumerOutput<Config extends OutputConfig> implements Recipient {
  batch: FrameBatch | undefined
  /** Size of the frames that were written, in bytes. */
  sentBytes = 0
  endCause: GatewayDisconnectCause = 'consumer'
  /** True from the close frame on: messages of the consumer that arrive later have no effect. */
  protected isEnding = false
  private readonly endTimer = new Subscription()
  protected readonly window = new AckWindow()
  protected readonly held = new HeldFrames()
  /** True until the service has answered the first probe for this consumer, which follows its first topic. */
  private isFirstUnproven: (() => boolean) | undefined
  /** When the consumer asked for a proven answer for the last time. */
  private askedAt: number
  /** True while every price is sent. */
  private isFree = true
  /** Since when the consumer is behind, and the number of dropped prices then. */
  private behind: { readonly since: number; readonly dropped: number } | undefined
  /** True if nothing was sent since the last check, while the consumer is behind. */
  private maySend = true
  /** Number of prices that were not sent, because a newer one replaced them or their topic was no longer live. */
  droppedPrices = 0
  /** The number of unsent bytes above which the connection is ended. Prices written before a hold do not count. */
  private maxUnsent: number

  constructor(
    private readonly webSocket: ConsumerWebSocket,
    /** The underlying socket. A write to it costs less than a message of `ws`, and may contain several frames. */
    private readonly stream: ConsumerStream,
    protected readonly config: Config,
    /** The time in which the consumer was not read, because it had sent too much, in ms. */
    private readonly pausedMs: () => number = () => 0,
  ) {
    this.maxUnsent = config.maxBufferedBytes
    this.askedAt = config.now()
  }

  abstract readonly feeds: ReadonlyMap<string, unknown>

  protected abstract leaveTopics(): void

  /** True while the consumer does not get every price, because it reads too slowly. */
  get isBehind(): boolean {
    return this.window.isBehind
  }

  get unsentBytes(): number {
    return this.stream.writableLength
  }

  sendText(text: string): void {
    if (this.isEnding) return
    this.config.outbox.add(this, textFrame(text))
    this.window.probe(this.pendingBytes)
    this.onWindowChanged()
  }

  /** Sends a price. `isNew`: it comes from the service now; false for the last price of a topic that is added. */
  send(frame: TextFrame, topic: ConsumedTopic, isNew = true): void {
    if (!this.isFree) return this.sendLimited(frame, topic, isNew)
    this.config.outbox.add(this, this.held.isEmpty ? frame : this.countable(frame, topic))
  }

  /** Monotonic time in which the consumer was read, in ms: a pause alone makes no answer late. */
  private now(): number {
    return this.config.now() - this.pausedMs()
  }

  /** The first call is that of an open connection without data: its marker measures the round trip. Ends a silent consumer. */
  check(): void {
    if (this.isEnding) return
    const { window } = this
    const now = this.now()
    if (window.isSilent(now)) {
      this.endCause = 'no-pong'
      return this.webSocket.terminate()
    }
    this.maySend = true
    if (!this.isFree) this.onWindowChanged()
    if (this.held.size > 0 && !window.isHolding) this.sendHeld()
    if (window.isMarkerDue(now)) this.mark()
    if (window.isLate(now)) {
      window.failProbe()
      if (!window.isHolding) this.hold()
      this.onWindowChanged()
    }
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
  protected get isWaiting(): boolean {
    return this.isFirstUnproven?.() === true
  }

  /**
   * For a message that asks for an answer. Requests are as far apart as those of this consumer before: the probes are as many as
   * those of the consumer that asks most often. Returns a function that returns true until the answer may be sent.
   */
  protected requestProbe(): () => boolean {
    const { askedAt } = this
    this.askedAt = this.config.now()
    return this.config.feed.requestProbe(Math.max(shortestSpacing, this.askedAt - askedAt))
  }

  /** The service has answered a probe. */
  onMeasured(): void {
    if (this.held.size > 0) this.check()
  }

  private pong(payload: Buffer): void {
    this.flush()
    const { webSocket } = this
    if (!this.config.feed.isBounded()) webSocket.pong(unboundedPayload)
    webSocket.pong(payload)
    this.endOverflow()
  }

  onPong(payload: string): void {
    if (this.isEnding) return
    const { window } = this
    const isDirect = window.hasAnswered || this.feeds.size <= maxDirectTopics
    window.onAck(Number(payload), this.now(), isDirect)
    // Unsent data cannot have been acknowledged: a consumer that forges pongs would get prices without end.
    if (this.unsentBytes > window.unacknowledged + this.config.maxBufferedBytes) {
      return this.endTooFarBehind()
    }
    if (window.isDrained) this.releaseHeld()
    else this.check()
    this.onWindowChanged()
  }

  /** Leaves all topics and sends a close frame. Ends the connection if the consumer does not end it within `ms`. */
  end(cause: EndCause, reason: string, ms = closeTime): void {
    if (this.isEnding) return
    this.isFree = false
    this.isEnding = true
    this.endCause = cause
    this.flush()
    this.webSocket.close(closeCodes[cause], closeReason(reason))
    this.endTimer.add(timer(ms).subscribe(() => this.webSocket.terminate()))
    this.leaveTopics()
  }

  onClosed(): void {
    this.isFree = false
    this.isEnding = true
    this.endTimer.unsubscribe()
  }

  /** Writes the frames of a tick. */
  write(bytes: Uint8Array): void {
    if (this.webSocket.readyState !== this.webSocket.OPEN) return
    this.stream.write(bytes)
    this.sentBytes += bytes.length
    this.window.onWritten(bytes.length)
    this.endOverflow()
  }

  flush(): void {
    this.config.outbox.flushOne(this)
  }

  /** Called with the first topic. A consumer takes all prices of a connection for newer than it, so they wait for a probe. */
  protected requestFirstProbe(): void {
    this.isFirstUnproven ??= this.config.feed.requestProbe(0)
    this.onWindowChanged()
  }

  /**
   * Sends a price in this tick if there is room, and otherwise holds it. While the window is narrow, prices are sent in
   * only one tick between two checks: a write per price to each of many slow consumers would block the event loop.
   */
  private sendLimited(frame: TextFrame, topic: ConsumedTopic, isNew: boolean): void {
    const { window, held } = this
    if (this.isEnding) return
    if (this.isWaiting) return held.add(topic)
    const maySend = !window.isHolding && (this.maySend || this.batch !== undefined || !window.isNarrow)
    const pending = this.pendingBytes
    const isLive = isNew && window.hasLiveRoom(frame.length, pending)
    if (isLive || (maySend && window.hasRoom(frame.length, pending))) {
      this.maySend = false
      if (held.has(topic)) this.droppedPrices++
      return this.config.outbox.add(this, this.countable(frame, topic))
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
    this.flush()
    this.window.isHolding = true
    this.maxUnsent = this.config.maxBufferedBytes + this.unsentBytes
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
  protected sendHeld(): void {
    const { window, held } = this
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
        if (this.behind !== undefined && this.now() - this.behind.since > longHold)
          return this.endTooFarBehind(`the price of ${topic.topic} was not sent before it became stale`)
        this.droppedPrices++
        held.miss(topic)
        continue
      }
      const pending = this.pendingBytes
      window.probe(pending + frame.length)
      if (!window.hasRoom(frame.length, pending)) return this.hold()
      held.delete(topic)
      this.config.outbox.add(this, frame)
    }
    this.flush()
  }

  /** Holds prices if too much is unsent. Ends a consumer that is behind in other frames, or answers no ping. */
  private endOverflow(): void {
    if (this.isEnding || this.unsentBytes <= this.maxUnsent) return
    if (this.window.hasAnswered && !this.window.isHolding) this.hold()
    else this.endTooFarBehind()
  }

  private endTooFarBehind(problem = `more than ${this.config.maxBufferedBytes} bytes are unsent`): void {
    this.end('too-far-behind', `too far behind: ${problem}`, backlogTime)
  }

  private onWindowChanged(): void {
    if (this.isEnding) return
    const { window, behind, droppedPrices: dropped, config } = this
    this.isFree = !window.isLimited && !this.isWaiting
    if (window.isBehind === (behind !== undefined)) return
    const now = this.now()
    this.behind = behind === undefined ? { since: now, dropped } : undefined
    if (behind === undefined) config.report('svc-streams:gateway-behind', {})
    else {
      const behindForMs = Math.round(now - behind.since)
      config.report('svc-streams:gateway-caught-up', { behindForMs, dropped: dropped - behind.dropped })
    }
  }

  private mark(): void {
    this.flush()
    if (!this.isEnding) this.webSocket.ping(String(this.window.mark(this.now())))
  }

  /** Number of bytes that are written after this tick. */
  private get pendingBytes(): number {
    return this.batch?.length ?? 0
  }
}
