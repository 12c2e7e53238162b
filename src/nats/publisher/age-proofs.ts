import { Subscription } from 'rxjs'
import type { PriceFeed } from '../../client/price-feed.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/timers.js'
import type { Lease } from './lease.js'
import type { PriceClock } from './price-clock.js'

/** A probe of the service that may be unanswered. `at`: of the gateway's clock, in ms. */
interface Probe {
  readonly at: number
  readonly isMissing: () => boolean
}

/** The number of probes within the shortest `maxLag` of the consumers, and the limits of their interval in ms. */
const probesPerMaxLag = 16
const [shortestInterval, longestInterval] = [20, 500]

/** More probes are not stored. The answer to a probe answers the older ones too. */
const maxProbes = 512

/**
 * Probes the service while there are consumers, and publishes when it has answered. The probes do not depend on the number
 * of consumers. Consumers measure the age of prices by them, from the service on.
 */
export class AgeProofs {
  private readonly probes: Probe[] = []
  private readonly resources = new Subscription()
  private timer: Subscription | undefined

  constructor(
    private readonly clock: Clock,
    private readonly priceClock: Pick<PriceClock, 'time'>,
    private readonly feed: Pick<PriceFeed, 'requestProbe' | 'isUpToDate' | 'measured$'>,
    private readonly leases: ReadonlyMap<string, Lease>,
    /** Publishes to all consumers: later updates were sent by the service after this time of the gateway's clock, in ms. */
    private readonly publish: (time: number) => void,
  ) {
    this.resources.add(feed.measured$.subscribe(() => this.publishAnswered()))
  }

  /** Runs until there is no lease. Idempotent. */
  start(): void {
    if (this.timer === undefined) this.onTimer()
  }

  close(): void {
    this.resources.unsubscribe()
    this.timer?.unsubscribe()
  }

  private onTimer(): void {
    const { clock, priceClock, feed, leases } = this
    if (leases.size === 0 || this.resources.closed) return void (this.timer = undefined)
    this.probes.push({ at: priceClock.time(), isMissing: feed.requestProbe(0) })
    if (this.probes.length > maxProbes) this.probes.shift()
    this.publishAnswered()
    this.timer = delay(clock, this.interval, () => this.onTimer())
  }

  private get interval(): number {
    let shortest = Infinity
    for (const { maxLag } of this.leases.values()) shortest = Math.min(shortest, maxLag)
    return Math.min(longestInterval, Math.max(shortestInterval, shortest / probesPerMaxLag))
  }

  /** The client of a gateway that is behind may hold newer prices than those that are published. */
  private publishAnswered(): void {
    const { feed, leases, publish } = this
    if (!feed.isUpToDate()) return
    for (const lease of leases.values()) lease.confirmWaiting()
    const answered = this.probes.findLastIndex(({ isMissing }) => !isMissing())
    const [newest] = this.probes.splice(0, answered + 1).slice(-1)
    if (newest !== undefined) publish(newest.at)
  }
}
