import { subscriptionTimeout } from '../errors/constructors.js'
import type { PendingAcks } from './acks/pending-acks.js'
import type { Delivery } from './fan-out.js'
import type { FrameQueue } from './frame-queue.js'
import { failureEvent, staleEvent, type PriceEventFactory } from './price-events.js'
import { subscribersIn } from './subscriber-list.js'
import {
  clearHeld,
  never,
  phaseOf,
  releaseAt,
  resubscribeDeadline,
  silenceDeadline,
  type TopicState,
  type TopicTimeouts,
} from './topic-state.js'
import type { TopicTable } from './topic-table.js'

/** What happens to the topics of one connection as time passes. It sets no timers. `now` is monotonic, in ms. */
export class TopicDeadlines {
  private earliest = Infinity

  constructor(
    private readonly topics: TopicTable,
    private readonly frameQueue: FrameQueue,
    private readonly acks: PendingAcks,
    private readonly timeouts: TopicTimeouts,
  ) {}

  /** Latest time at which `expire` must be called. */
  get next(): number {
    return this.earliest
  }

  /** Only moves the deadline earlier. Firing early costs a scan; firing late breaks a guarantee. */
  schedule(state: TopicState): void {
    if (!this.frameQueue.isDue(state)) {
      this.earliest = Math.min(this.earliest, releaseAt(state, this.timeouts), resubscribeDeadline(state))
    }
    this.earliest = Math.min(this.earliest, silenceDeadline(state, this.timeouts))
  }

  clear(): void {
    this.earliest = Infinity
  }

  /** Handles all passed deadlines: confirmation timeouts, stale topics, and the end of `linger`. */
  expire(now: number): readonly Delivery[] {
    const deliveries: Delivery[] = []
    this.earliest = Infinity
    for (const state of this.topics.states) {
      if (releaseAt(state, this.timeouts) <= now || resubscribeDeadline(state) <= now)
        this.frameQueue.add(state)
      if (silenceDeadline(state, this.timeouts) <= now) {
        deliveries.push({ subscribers: subscribersIn(state), eventFor: this.onSilence(state, now) })
      }
      this.schedule(state)
    }
    return deliveries
  }

  /** Queues the unsubscribe frame of each topic whose `linger` has ended. */
  release(now: number): void {
    for (const state of this.topics.states) {
      if (releaseAt(state, this.timeouts) <= now) this.frameQueue.add(state)
    }
  }

  /**
   * After a suspend of the machine or a freeze of the page: all topics with a confirmation or a price become stale. `ms`:
   * how long the monotonic clock stood still.
   */
  onSuspend(ms: number, now: number): readonly Delivery[] {
    const deliveries: Delivery[] = []
    for (const state of this.topics.states) {
      if (state.lastActivityAt === never) continue
      state.lastActivityAt -= ms
      clearHeld(state)
      if (!state.live) continue
      state.live = false
      deliveries.push({ subscribers: subscribersIn(state), eventFor: staleEvent(state, now) })
    }
    return deliveries
  }

  private onSilence(state: TopicState, now: number): PriceEventFactory {
    if (phaseOf(state) === 'live') {
      state.live = false
      return staleEvent(state, now)
    }
    const recent = this.acks.textsSince(state.subscribeSentAt ?? now)
    state.needsResubscribe = true
    state.resubscribeBy = now + this.timeouts.confirmTimeout
    if (releaseAt(state, this.timeouts) <= now) this.frameQueue.add(state)
    else this.frameQueue.addRepeated(state)
    return failureEvent((topic) => subscriptionTimeout(topic, this.timeouts.confirmTimeout, recent))
  }
}
