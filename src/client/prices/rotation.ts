import { repeat, type Subscription } from 'rxjs'
import type { Clock } from '../../base/time/clock.js'
import { delay$ } from '../../base/time/timers.js'
import type { Line } from './line.js'
import { hasCurrentPrice, isConfirmed, type SubscribedTopic } from './topics.js'

/** The time between two checks, in ms. */
const checkMs = 5

interface RotationConfig {
  readonly clock: Clock
  /** The longest time to wait until the prices of both lines agree, in ms. */
  readonly maxLag: number
  /** True if a failed dial ends the rotation, and the old line remains. */
  readonly isOptional: boolean
  /** `isReplaced`: the successor takes the place of the old line. Otherwise the successor has failed. */
  readonly onEnd: (isReplaced: boolean) => void
}

/**
 * The replacement of a line before its end: the successor first has each topic that is confirmed on the old line, and has
 * answered a probe. The old line then delivers until the last prices of both are equal.
 */
export class Rotation {
  /** True if the last prices of both lines are equal. */
  agrees = false
  private readyAt: number | undefined
  private readonly timer: Subscription

  constructor(
    readonly old: Line,
    readonly successor: Line,
    private readonly config: RotationConfig,
  ) {
    this.timer = delay$(config.clock, checkMs)
      .pipe(repeat())
      .subscribe(() => this.check())
  }

  stop(): void {
    this.timer.unsubscribe()
  }

  /** Ends the rotation if its condition holds. */
  check(): void {
    const { old, successor, config } = this
    const now = config.clock.elapsed()
    if (config.isOptional && successor.phase === 'waiting') return this.end(false)
    if (old.phase === 'waiting' || old.status._tag === 'Idle') return this.end(true)
    if (successor.phase !== 'ready' || !old.topics.every((state) => this.hasTopic(state))) return
    this.readyAt ??= now
    this.agrees = old.topics.every((state) => this.hasPriceOf(state, now))
    if (this.agrees || now - this.readyAt >= config.maxLag) this.end(true)
  }

  private hasTopic(state: SubscribedTopic): boolean {
    const next = this.successor.topic(state.base)
    return !isConfirmed(state) || (next !== undefined && isConfirmed(next))
  }

  private hasPriceOf(state: SubscribedTopic, now: number): boolean {
    const { old, successor } = this
    const next = successor.topic(state.base)
    if (!hasCurrentPrice(state) || next?.price === state.price) return true
    if (next === undefined || hasCurrentPrice(next)) return false
    // Each line has all prices until it sent its last answered probe: there was none since the successor has the topic.
    const isOlder = now - (successor.lagMs ?? Infinity) > state.lastActivityAt
    return isOlder && now - (old.lagMs ?? Infinity) > next.lastActivityAt
  }

  private end(isReplaced: boolean): void {
    this.stop()
    this.config.onEnd(isReplaced)
  }
}
