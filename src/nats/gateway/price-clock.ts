import type { PriceFeed } from '../../client/price-feed.js'
import type { Clock } from '../../time/clock.js'

/** The interval of the checks of the clock, in ms. */
const tickTime = 100

/** A longer time without a check shows that the process was stopped or blocked, in ms. */
const maxTick = 250

/** A service that does not answer the probe is waited for no longer: what had arrived is read by then. In ms. */
const maxWait = 10_000

/**
 * The times of price updates. After the process was stopped, data from meanwhile is still to be read: until the service
 * has answered a probe, a price may be as old as the stop. Such prices have the time of the stop, so that each consumer
 * decides by its `maxLag`. Also checks the clock on each update: sockets may be read before timers run.
 */
export class PriceClock {
  private lastTick: number
  /** Before this time everything was read; `undefined` if that is now. */
  private stoppedAt: number | undefined
  private isAnswerMissing: () => boolean = () => false
  private probedAt = -Infinity
  private readonly stop: () => void

  constructor(
    private readonly clock: Clock,
    private readonly feed: Pick<PriceFeed, 'probe'>,
  ) {
    this.lastTick = clock.elapsed()
    this.stop = clock.startInterval(() => this.tick(), tickTime)
  }

  /** The time of a price that arrives now, of the monotonic clock, in ms. */
  time(): number {
    this.tick()
    return this.stoppedAt ?? this.lastTick
  }

  /** How old a message that arrives now may be because the process was stopped, in ms. */
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
      this.isAnswerMissing = this.feed.probe()
      this.probedAt = now
    }
    if (now - this.probedAt > maxWait || !this.isAnswerMissing()) this.stoppedAt = undefined
    this.lastTick = now
  }
}
