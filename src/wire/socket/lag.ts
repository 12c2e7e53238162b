import { Subscription } from 'rxjs'
import { behindText } from '../../base/errors/text.js'
import type { Clock } from '../../base/time/clock.js'
import { afterReading, deadline, delay } from '../../base/time/timers.js'
import type { ProbeSupport } from './guarded-socket.js'

export interface LagConfig {
  readonly clock: Clock
  /** In ms; `Infinity`: no limit, and only probes that are requested are sent. */
  readonly maxLag: number
  readonly maxFramesPerSecond: number
  readonly probeSupport: ProbeSupport
  /** Called when a probe is answered, and the prices that it makes current are delivered. */
  readonly onMeasured: () => void
}

export interface MeasuredConnection {
  /** False if a probe costs a frame with all topics. */
  readonly hasPings: boolean
  /** Time from the dial to the opening, in ms. */
  readonly connectMs: number
  /** Counts the frames and pongs. */
  readonly activityCount: () => number
  readonly prices: number
  /** False if the answer to a probe would not be recognised. */
  isMeasurable(): boolean
  /** Sends a probe whose answer will be recognised. Returns false if no probe can be sent. */
  measure(): boolean
  readonly terminate: (reason: string) => void
}

export interface LagListener {
  /** The prices may be older than `maxLag`: `behindMs` is the upper bound of their age. */
  onBehind(behindMs: number): void
  /** An answer has arrived in time. `wasBehind`: after `onBehind`. `behindMs`: the upper bound when the first price was held. */
  onCaughtUp(wasBehind: boolean, behindMs: number): void
}

/** The number of probes within `maxLag`. A probe without pings is answered by a list of all topics. */
const pingsPerMaxLag = 8
const probesPerMaxLag = 4

/** Limits of the interval between two probes, as a part of `maxLag` and in ms. */
const shortestPart = 1 / 64
const shortestInterval = 5

/** A long round trip leaves time for this number of intervals within `maxLag`: that of the client, and those of its gateways. */
const sparePart = 4

/** The longest round trip that is assumed before the first answer, as a part of `maxLag`. */
const longestEstimate = 0.9

/** The minimum interval between two probes that are requested, in ms. */
const shortestRequested = 20

/**
 * A service that has not answered the first probe within this time and twice the time of the dial may never answer, in ms.
 * `silentMs`: if it has not sent a price either. A gateway answers before its first price, but only once its service does.
 */
const [unansweredMs, silentMs] = [500, 10_000]

/** Without pings, the answer to a probe counts as lost after this time, or after half of `maxLag`, in ms. */
const longestUnderWay = 2_500

/** A second check of a silent connection, in ms: in between the event loop reads the data that has arrived. */
const recheckMs = 50

/** The time for an answer if the probe before it was sent late, in ms: a browser delays the timers of a hidden page. */
const lateProbeMs = 1_000

/** In ms: virtual timers fire between two frames, because `TestScheduler` fails if an action cancels a timer of its own frame. */
const betweenFrames = 0.25

/**
 * A connection whose round trip is close to `maxLag` would be behind and in time in turn, many times a second. If it is behind
 * again within `flapMemory`, it stays so for `flapStay`, unless its round trip is short: as parts of `maxLag`.
 */
const [flapMemory, flapStay, shortRoundTrip] = [4, 3 / 4, 1 / 2]

/** The part of `maxFramesPerSecond` that probes without pings use at most. */
const probePart = 1 / 4

/**
 * The lag of one connection: the upper bound of the age of its prices. All data after the answer to a probe were sent
 * after the probe. A price is therefore at most as old as the newest answered probe. Before the first answer, it is at
 * most as old as the connection, because the client subscribes when the connection opens. A price that may be older
 * than `maxLag` is held. Times are monotonic, in ms.
 *
 * - `inTime`: prices are delivered while the bound holds.
 * - `checking`: a price was held. The answer may be unread in the socket, after a blocked event loop.
 * - `behind`: no answer has arrived in time. Every price is held until one does.
 */
export class Lag {
  /** From this time on, `onFrame` must be called for each price. Before it, prices are in time and no probe is due. */
  checkAt = Infinity
  private state: 'inTime' | 'checking' | 'behind' = 'inTime'
  /** False before `start`, after `stop`, and without a limit. */
  private isMeasuring = false
  private firstProbeAt: number | undefined
  /** When the newest answered probe was sent. */
  private measuredAt: number
  private probedAt: number
  private nextProbeAt: number
  private roundTrip: number
  /** False if the service is a gateway that does not limit the age of its prices. */
  private isServiceBounded = true
  private lateChecks = 0
  private hasAnswer = false
  /** While prices are held after a change of the line: the answers to earlier probes release no price. */
  private heldFrom = -Infinity
  /** The upper bound of the age when the first price was held, in ms. */
  private heldAtMs = 0
  private timer: Subscription | undefined
  private timerDueAt = Infinity
  private decision: Subscription | undefined
  private behindAt = -Infinity
  /** The earliest time at which an answer after a long round trip ends the time behind. */
  private behindUntil = -Infinity

  constructor(
    private readonly config: LagConfig,
    private readonly connection: MeasuredConnection,
    private readonly listener: LagListener,
  ) {
    this.measuredAt = this.probedAt = this.nextProbeAt = config.clock.elapsed()
    // A first estimate: a dial takes at least one round trip.
    this.roundTrip = Math.min(connection.connectMs, config.maxLag * longestEstimate)
  }

  get isBehind(): boolean {
    return this.state === 'behind'
  }

  /** True if prices are held after `hold`, but not because of their age. */
  get isHolding(): boolean {
    return (
      this.heldFrom !== -Infinity &&
      this.state === 'checking' &&
      this.config.clock.elapsed() <= this.inTimeUntil
    )
  }

  /** The upper bound of the age of the prices that are held now, in ms. */
  get heldMs(): number | undefined {
    return this.isHolding ? 0 : this.ms
  }

  /** True if a probe was answered, or the service answers none. */
  get isMeasured(): boolean {
    return this.hasAnswer || !this.isBounded
  }

  /** The upper bound of the age of the prices, in ms. `undefined` if it is unknown: the service has answered no probe. */
  get ms(): number | undefined {
    const isMeasured = this.isMeasuring && this.config.maxLag !== Infinity && !this.isExempt
    return isMeasured ? this.behindMs : undefined
  }

  /** False if the age of the prices has no upper bound: the service has answered no probe in time, or its prices have none. */
  get isBounded(): boolean {
    if (!this.isServiceBounded) return false
    if (!this.isExempt || this.firstProbeAt === undefined) return true
    const { prices, connectMs } = this.connection
    const ms = prices > 0 ? unansweredMs : silentMs
    return this.config.clock.elapsed() < this.firstProbeAt + ms + 2 * connectMs
  }

  private get behindMs(): number {
    return Math.round(this.config.clock.elapsed() - this.measuredAt)
  }

  /**
   * Called when the connection has opened. The first probe is sent at once in two cases. If the service has never
   * answered a probe, then no queue delays the answer. If the dial took long, the answer will take long too.
   */
  start(): void {
    this.isMeasuring = true
    const { interval } = this
    if (interval === Infinity) return void (this.nextProbeAt = Infinity)
    this.checkAt = -Infinity
    const now = this.config.clock.elapsed()
    if (this.isExempt || this.connection.connectMs > interval) this.probeIfDue(now)
    else this.nextProbeAt += interval
    this.setTimer(now)
  }

  stop(): void {
    this.isMeasuring = false
    this.state = 'inTime'
    this.checkAt = Infinity
    this.nextProbeAt = Infinity
    this.timer?.unsubscribe()
    this.decision?.unsubscribe()
  }

  /**
   * Requests a probe, at most one within `spacing` ms. Returns a function that returns true until a probe that was sent after
   * this call is answered: prices that arrive until then may have been sent before. Returns false at once if the age is not
   * bounded.
   */
  request(spacing: number): () => boolean {
    const now = this.config.clock.elapsed()
    if (this.isMeasuring) {
      this.nextProbeAt = Math.min(this.nextProbeAt, this.probedAt + Math.max(spacing, shortestRequested))
      this.checkAt = Math.min(this.checkAt, this.nextProbeAt)
      this.probeIfDue(now)
      // A timer that fires earlier may check a connection that is late.
      if (this.nextProbeAt < this.timerDueAt) this.setTimer(now)
    }
    return () => this.isMeasuring && this.measuredAt < now && this.isBounded && this.connection.isMeasurable()
  }

  /**
   * Another line was in front until now: holds the prices until a probe that is sent from now on is answered, because earlier
   * ones may be older than what that line has delivered. Returns false if the service answers no probes.
   */
  hold(): boolean {
    const now = this.config.clock.elapsed()
    if (this.isExempt || !this.isMeasuring) return false
    this.heldFrom = now
    if (!this.isInTime(now)) return true
    this.state = 'checking'
    this.heldAtMs = this.behindMs
    this.checkAt = -Infinity
    if (this.config.maxLag !== Infinity) this.decideWhenLate(now)
    // Sent by the timer, because a transport may report the answer at once.
    this.nextProbeAt = Math.min(this.nextProbeAt, now)
    this.setTimer(now)
    return true
  }

  /** Sends a probe that could not be sent when it was due. */
  probeNow(): void {
    this.nextProbeAt = Math.min(this.nextProbeAt, this.probedAt)
    this.probeIfDue(this.config.clock.elapsed())
  }

  /** A frame is handled: sends the probe that is due, because timers do not run while prices are handled. */
  onFrame(now: number): void {
    if (!this.isMeasuring) return
    this.probeIfDue(now)
    this.checkAt = this.isInTime(now) ? Math.min(this.nextProbeAt, this.inTimeUntil) : -Infinity
  }

  /** False if a price that is handled at `now` may be older than `maxLag`. */
  isInTime(now = this.config.clock.elapsed()): boolean {
    return !this.isMeasuring || (this.state === 'inTime' && now <= this.inTimeUntil)
  }

  /** Called when a price is held: decides soon whether the connection is behind. */
  onHeld(now: number): void {
    if (this.state !== 'inTime') return
    this.state = 'checking'
    this.heldAtMs = this.behindMs
    this.checkAt = -Infinity
    const { clock } = this.config
    const decide = (): void => this.decide()
    const waiting = new Subscription()
    // Set before the wait: in virtual time the wait ends at once, and the next wait replaces this one.
    this.decision = waiting
    waiting.add(
      this.wasProbedLate(now)
        ? delay(clock, Math.min(lateProbeMs, this.config.maxLag), decide)
        : afterReading(clock, this.connection.activityCount, decide),
    )
  }

  /** Called when the service answers a probe that was sent at this time. */
  onAnswer(sentAt: number, isServiceBounded = true): void {
    if (!this.isMeasuring) return
    this.isServiceBounded = isServiceBounded
    const now = this.config.clock.elapsed()
    const wasExempt = this.isExempt
    this.config.probeSupport.isProven = true
    this.measuredAt = Math.max(this.measuredAt, sentAt)
    this.roundTrip = now - sentAt
    this.hasAnswer = true
    this.lateChecks = 0
    this.checkAt = -Infinity
    this.nextProbeAt = Math.min(this.nextProbeAt, this.probedAt + this.interval)
    if (wasExempt) this.setTimer(now)
    const wasBehind = this.isBehind
    const isProven = this.measuredAt >= this.heldFrom
    const isShort = this.roundTrip <= shortRoundTrip * this.config.maxLag
    const mayCatchUp = isShort || now >= this.behindUntil
    if (this.state !== 'inTime' && now <= this.inTimeUntil && isProven && mayCatchUp) {
      this.state = 'inTime'
      this.heldFrom = -Infinity
      this.decision?.unsubscribe()
      this.listener.onCaughtUp(wasBehind, this.heldAtMs)
    }
    this.config.onMeasured()
  }

  private get inTimeUntil(): number {
    return this.isExempt ? Infinity : this.measuredAt + this.config.maxLag
  }

  /** The lag is unknown if the service has never answered a probe. */
  private get isExempt(): boolean {
    return !this.config.probeSupport.isProven
  }

  /** A round trip that is nearly as long as `maxLag` needs more probes: the bound is an interval and a round trip. */
  private get interval(): number {
    const { maxLag, maxFramesPerSecond } = this.config
    const spare = maxLag - this.roundTrip
    const shortest = Math.max(shortestInterval, maxLag * shortestPart)
    // Each gateway may add an interval to the next round trip, because it sends probes as often as it is pinged.
    if (this.connection.hasPings) {
      return Math.max(shortest, Math.min(maxLag / pingsPerMaxLag, spare / sparePart))
    }
    const rate = Math.min(1_000 / (maxFramesPerSecond * probePart), maxLag / 2)
    return Math.max(shortest, rate, Math.min(maxLag / probesPerMaxLag, spare > 0 ? spare / 2 : Infinity))
  }

  private probeIfDue(now: number): void {
    const { connection, config } = this
    if (!this.isMeasuring || now < this.nextProbeAt) return
    // Set before the probe, whose answer may arrive at once. A service without answers is probed by the liveness alone.
    const isMute = this.isExempt && now > (this.firstProbeAt ?? now) + 2 * config.maxLag
    const { interval } = this
    const previous = now - this.nextProbeAt < interval ? this.nextProbeAt : now
    const isUnderWay = this.isUnderWayAt(now)
    const next = isUnderWay
      ? Math.min(previous + interval, this.probedAt + this.lostAfter)
      : previous + interval
    this.nextProbeAt = isMute ? Infinity : next
    if (isMute || isUnderWay) return
    const { probedAt } = this
    this.probedAt = now
    if (!connection.measure()) this.probedAt = probedAt
    else this.firstProbeAt ??= now
  }

  /** Without pings, one probe at a time: its answer lists all topics. A long round trip needs several. */
  private isUnderWayAt(now: number): boolean {
    const { maxLag } = this.config
    const isUnanswered = this.probedAt > this.measuredAt && now - this.probedAt < this.lostAfter
    return isUnanswered && !this.connection.hasPings && this.roundTrip < maxLag / probesPerMaxLag
  }

  private get lostAfter(): number {
    return Math.min(this.config.maxLag / 2, longestUnderWay)
  }

  private wasProbedLate(now: number): boolean {
    if (this.connection.hasPings) return false
    const isUnanswered = this.probedAt > this.measuredAt
    return !isUnanswered || now - this.probedAt < this.interval
  }

  private setTimer(now: number, ms = this.nextProbeAt - now): void {
    this.timer?.unsubscribe()
    this.timerDueAt = Infinity
    if (ms === Infinity || !this.isMeasuring) return
    const { clock } = this.config
    const wait = Math.max(0, ms) + (clock.isVirtual ? betweenFrames : 0)
    this.timerDueAt = now + wait
    this.timer = delay(clock, wait, () => this.onTimer())
  }

  /** Without prices, a connection is behind after two checks without an answer, between which the loop was responsive. */
  private onTimer(): void {
    const now = this.config.clock.elapsed()
    const wasBlocked = now - this.timerDueAt > recheckMs
    this.probeIfDue(now)
    const isLate = this.state === 'inTime' && now > this.inTimeUntil
    this.lateChecks = isLate && !wasBlocked ? this.lateChecks + 1 : 0
    if (this.lateChecks > 1) this.onHeld(now)
    const untilProbe = this.nextProbeAt - now
    this.setTimer(now, isLate ? Math.min(recheckMs, untilProbe) : untilProbe)
  }

  /** Decides after `hold`, once the age may exceed `maxLag`. The answers to earlier probes postpone that, by `maxLag` at most. */
  private decideWhenLate(now: number): void {
    const { clock, maxLag } = this.config
    const lateAt = (): number => Math.min(this.heldFrom + maxLag, this.inTimeUntil)
    const onLate = (): void => {
      const checkedAt = clock.elapsed()
      if (checkedAt < lateAt()) this.decideWhenLate(checkedAt)
      else this.decide()
    }
    this.decision = deadline(clock, Math.max(0, lateAt() - now), onLate, this.connection.activityCount)
  }

  private decide(): void {
    const { clock, maxLag } = this.config
    this.state = 'behind'
    const now = clock.elapsed()
    this.behindUntil = now - this.behindAt < flapMemory * maxLag ? now + flapStay * maxLag : now
    this.behindAt = now
    this.decision = deadline(clock, maxLag, () => this.end(), this.connection.activityCount)
    this.listener.onBehind(this.behindMs)
  }

  /** A new connection has no queue. */
  private end(): void {
    const { maxLag } = this.config
    this.connection.terminate(`the prices are ${behindText(this.behindMs)}, for more than ${maxLag} ms`)
  }
}
