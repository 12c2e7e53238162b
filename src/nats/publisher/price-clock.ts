import type { PriceFeed } from '../../client/price-feed.js'
import type { Clock } from '../../base/time/clock.js'

/** The interval of the checks of the clock, in ms. */
const tickTime = 100

/** A longer time without a check shows that the process was stopped or blocked, in ms. */
const maxTick = 250

/**
 * The times of price updates. After the process was stopped, data that arrived during the stop are still unread. Until
 * the service has answered a probe, a price may be as old as the start of the stop. Such prices get the time of that
 * start, so that each consumer decides by its `maxLag`. The clock is also checked on each update, because sockets may
 * be read before timers run.
 */
export class PriceClock {
  private lastTick: number
  /** All data from before this time are read; `undefined` if that is the current time. */
  private stoppedAt: number | undefined
  private isAnswerMissing: () => boolean = () => false
  private readonly stop: () => void

  constructor(
    private readonly clock: Clock,
    private readonly feed: Pick<PriceFeed, 'requestProbe'>,
  ) {
    this.lastTick = clock.elapsed()
    this.stop = clock.startInterval(() => this.tick(), tickTime)
  }

  /** The time of a price that arrives now, of the monotonic clock, in ms. */
  time(): number {
    this.tick()
    return this.stoppedAt ?? this.lastTick
  }

  /** The possible age of a message that arrives now, because the process was stopped, in ms. */
  lateMs(): number {
    return this.clock.elapsed() - this.time()
  }

  close(): void {
    this.stop()
  }

  private tick(): void {
    const now = this.clock.elapsed()
    if (now - this.lastTick > maxTick) {
      this.stoppedAt ??= this.lastTick
      this.isAnswerMissing = this.feed.requestProbe(0)
    }
    if (!this.isAnswerMissing()) this.stoppedAt = undefined
    this.lastTick = now
  }
}
