import { subscribeFrame } from '../../wire/codec/price-frame.js'
import type { Socket } from '../../wire/transport/ports.js'
import type { Prober } from '../../wire/socket/guarded-socket.js'
import type { Session } from '../../wire/socket/session.js'
import type { Clock } from '../../base/time/clock.js'
import type { CoalescedTask, RateLimiter } from '../../base/time/timers.js'
import type { Subscriptions } from './subscriptions.js'
import { isUnconfirmed, phaseOf, type SubscribedTopic } from './topics.js'

export interface FrameSenderConfig {
  readonly clock: Clock
  /** Shared by all connections of the client. */
  readonly rateLimiter: RateLimiter
}

/** The maximum number of frames per event-loop turn. */
const burst = 256

/** The interval of the checks whether a full socket has drained, in ms. */
const drainCheckMs = 5

/**
 * Sends the frames of one connection within `maxFramesPerSecond`: those of the subscriptions, and probes. A probe
 * subscribes again to a topic, because the service answers each frame.
 */
export class FrameSender implements Prober {
  /** True if a probe is delayed by `maxFramesPerSecond`. */
  private isProbeDue = false
  /** True if the last frame was no probe. Probes and other frames take turns while only one may be sent. */
  private isProbeTurn = false

  constructor(
    private readonly config: FrameSenderConfig,
    private readonly subscriptions: Subscriptions,
    /** Calls `sendPending`. */
    private readonly task: CoalescedTask,
  ) {}

  /** Sends the frames that may be sent now, and schedules the task for the others. */
  sendPending({ socket, lag }: Session, now: number): void {
    const { clock, rateLimiter } = this.config
    if (this.isProbeDue) lag.probeNow()
    // A delayed frame stays queued: if its topic loses its subscribers, neither a subscribe nor an unsubscribe frame is sent.
    const { isFull } = socket
    const limit = isFull ? 0 : Math.min(burst, rateLimiter.available(now))
    const frames = this.subscriptions.takeFrames(limit, now)
    for (const frame of frames) socket.send(frame)
    // A frame counts from the time at which it was sent, because a busy machine may delay sending.
    rateLimiter.consume(frames.length, clock.elapsed())
    if (frames.length > 0) this.isProbeTurn = true
    if (!this.subscriptions.hasPendingFrames) return
    const delay = isFull ? drainCheckMs : rateLimiter.delay(now)
    if (delay === 0) this.task.afterTurn()
    else this.task.afterDelay(delay)
  }

  onDown(): void {
    this.isProbeDue = false
    this.task.cancelDelay()
  }

  readonly probe = (socket: Pick<Socket, 'send'>): boolean => {
    const state = this.findTopic()
    if (state === undefined) return false
    const { clock, rateLimiter } = this.config
    const now = clock.elapsed()
    const available = rateLimiter.available(now)
    const mustWait = available === 1 && !this.isProbeTurn && this.subscriptions.hasPendingFrames
    this.isProbeDue = mustWait || available < 1
    if (this.isProbeDue) {
      this.task.afterDelay(rateLimiter.delay(now))
      return false
    }
    this.isProbeTurn = false
    this.subscriptions.sentFrames.onProbe(state, now)
    socket.send(subscribeFrame(state.topic))
    rateLimiter.consume(1, now)
    return true
  }

  /** The answer to a probe of an unconfirmed topic is its confirmation, or a rejection. */
  readonly isRecognisable = (): boolean => {
    const state = this.findTopic()
    return state !== undefined && !isUnconfirmed(state)
  }

  /** Before a probe was answered, only the silence of all topics shows that the connection is lost. */
  readonly isConclusive = (): boolean => {
    for (const state of this.subscriptions.topics.values()) {
      const phase = phaseOf(state)
      if (phase !== 'stale' && phase !== 'timed-out') return false
    }
    return true
  }

  /** A confirmed topic if there is any, because its answer confirms or rejects no topic. */
  private findTopic(): SubscribedTopic | undefined {
    let found: SubscribedTopic | undefined
    for (const state of this.subscriptions.topics.values()) {
      if (state.subscribeSentAt === undefined) continue
      if (!isUnconfirmed(state)) return state
      found = state
    }
    return found
  }
}
