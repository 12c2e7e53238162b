/** A ping after data: its pong acknowledges all data that were written before the ping. */
interface Marker {
  readonly id: number
  readonly sentAt: number
  /** Number of bytes that were written before the ping. */
  readonly end: number
  /** Number of these bytes that were not acknowledged when the ping was sent. */
  readonly inFlight: number
}

/** Data is late if its pong takes this much longer than a usual round trip, in ms. */
const lateMs = 300

/** Data are late after this time, in ms, until a shorter round trip or one without data before its ping is known. */
const unmeasuredLateMs = 200

/** A longer round trip is accepted up to this time, in ms: a long queue must not be taken for a long link. */
const maxGrownRoundTrip = 500

/** A varying round trip is accepted up to this time, in ms: a link with such round trips may also become slow. */
const maxVariedRoundTrip = 300

/** The number of round trips of which the longest is usual. */
const keptRoundTrips = 4

/** The smallest limit: several prices. A limit that has grown to `unlimited` is removed. Both in bytes. */
const minLimit = 512
const unlimited = 1024 * 1024

/** From this limit on, the link is no longer slow, in bytes. */
const wideLimit = 8192

/** The limit of the first probe, in bytes: a slow link transmits them in a second. */
const firstProbe = 6_144

/** More bytes are marked after `soonMs`, fewer after `laterMs`: a marker for each price would double the frames. */
const soonBytes = 1024
const soonMs = 100
const laterMs = 1_000

/** The longest time between two markers, also without data, in ms. */
const idleMs = 15_000

/** A consumer that answers no marker for this time is silent, in ms. */
const silentMs = 30_000

/** A consumer is ended this time after its last answer, at the latest, in ms. */
export const pongTime = idleMs + silentMs

/** The maximum number of unanswered markers. `ws` treats 60 pings in one read as an attack. */
const maxMarkers = 16

/**
 * The number of written bytes that have arrived at a consumer. Written bytes may still be unread, because the system,
 * the link and proxies buffer megabytes. The window decides whether prices may be written:
 *
 * - A consumer with pongs in time has no limit.
 * - If a pong is late, prices are held until every marker is answered. After that, at most `limit` bytes are
 *   unacknowledged. Each late pong reduces the limit to the number of bytes that would have been in time. Each pong in
 *   time doubles the limit.
 * - A consumer that has never answered has no limit but that of a probe: its first answer may wait behind a long upload.
 * - Many answers or held prices at once are a probe. Until it is answered, at most its limit of them is written, and at
 *   most the same amount of other prices. Without a probe, a late pong would show only afterwards that a slow link
 *   needs seconds for these bytes. Each probe that is answered in time doubles the limit of the next probe.
 *
 * Times are monotonic, in ms. Time in which the event loop was blocked must not count.
 */
export class AckWindow {
  private limit = Infinity
  /** True while prices are held: until the marker that follows is answered. */
  isHolding = false
  private written = 0
  private marked = 0
  private acknowledged = 0
  private markers: Marker[] = []
  private lastId = 0
  private markedAt = -Infinity
  /** When the last pong arrived. */
  private answeredAt = -Infinity
  /** The newest markers when the limit was last changed, and last reduced: it changes once per round trip. */
  private changedAtId = 0
  private reducedAtId = 0
  /** The last round trips without data before their pings, and shorter round trips. */
  private roundTrips: readonly number[] = []
  private shortest = Infinity
  /** True once the consumer has answered a ping. */
  hasAnswered = false
  private isProbing = false
  private probeLimit = firstProbe
  /** The markers up to this one were sent before the probe. */
  private probedAtId = 0
  /** True while some prices may have to wait. */
  get isLimited(): boolean {
    return this.isHolding || this.isProbing || this.limit !== Infinity
  }

  /** True if the consumer reads too slowly. A probe alone does not show that. */
  get isBehind(): boolean {
    return this.limit !== Infinity || (this.isHolding && !this.isProbing)
  }

  /** True while only few prices may be unacknowledged. */
  get isNarrow(): boolean {
    return this.limit < wideLimit
  }

  /** Number of bytes that may not have arrived. */
  get unacknowledged(): number {
    return this.written - this.acknowledged
  }

  /** True if prices are held and all marked data have arrived. */
  get isDrained(): boolean {
    return this.isHolding && this.markers.length === 0
  }

  /** One frame may always be written, so that the limit can grow again. `pending`: bytes that are not written yet. */
  hasRoom(frameBytes: number, pending = 0): boolean {
    const before = this.unacknowledged + pending
    const limit = this.isProbing ? Math.min(this.probeLimit, this.limit) : this.limit
    return before === 0 || before + frameBytes <= limit
  }

  /** True if a price that arrives from the service now may be written during a probe. */
  hasLiveRoom(frameBytes: number, pending = 0): boolean {
    if (!this.isProbing || !this.hasAnswered || this.limit !== Infinity) return false
    return this.unacknowledged + pending + frameBytes <= 2 * this.probeLimit
  }

  onWritten(bytes: number): void {
    this.written += bytes
  }

  /** Starts a probe if `pending` bytes that are not written yet exceed its limit. */
  probe(pending: number): void {
    if (this.isProbing || this.isHolding) return
    if (this.unacknowledged + pending <= this.probeLimit) return
    this.isProbing = true
    this.probedAtId = this.lastId
  }

  /** The answer is late: the link is slow. */
  failProbe(): void {
    this.isProbing = false
    this.probeLimit = firstProbe
  }

  /** True if data was written that no marker follows. */
  get isUnmarked(): boolean {
    return this.written > this.marked
  }

  isMarkerDue(now: number): boolean {
    // While prices are held, the last marker ends the hold: another marker would extend it.
    if (this.markers.length >= (this.isHolding ? 1 : maxMarkers)) return false
    const waited = now - this.markedAt
    if (waited >= idleMs) return true
    // Without data, the limit grows again too.
    if (!this.isUnmarked) return this.isLimited && !this.isHolding && waited >= soonMs
    return waited >= laterMs || (waited >= soonMs && this.written - this.marked >= soonBytes)
  }

  /** Adds a marker after all written data. Returns its id. */
  mark(now: number): number {
    const id = ++this.lastId
    this.markers.push({ id, sentAt: now, end: this.written, inFlight: this.unacknowledged })
    this.marked = this.written
    this.markedAt = now
    return id
  }

  /** True if the oldest unanswered marker is late. */
  isLate(now: number): boolean {
    const [oldest] = this.markers
    return oldest !== undefined && this.hasAnswered && now - oldest.sentAt > this.inTimeMs
  }

  /** True if the consumer has answered nothing for too long: it is gone, or does not read. */
  isSilent(now: number): boolean {
    const [oldest] = this.markers
    return oldest !== undefined && now - Math.max(oldest.sentAt, this.answeredAt) >= silentMs
  }

  /**
   * Handles a pong. It answers all earlier markers too. One with an unknown id shows only that the consumer is alive.
   * `isDirect`: false if the pong may have waited after other data of the consumer.
   */
  onAck(id: number, now: number, isDirect = true): void {
    this.answeredAt = now
    const marker = this.markers.find((each) => each.id === id)
    if (marker === undefined) return
    const roundTrip = now - marker.sentAt
    const wasLate = this.hasAnswered && roundTrip > this.inTimeMs
    this.markers = this.markers.filter((each) => each.id > id)
    this.acknowledged = marker.end
    this.hasAnswered = true
    const isIdle = marker.inFlight === 0
    if (this.isProbing && !isIdle && id > this.probedAtId) {
      this.isProbing = false
      this.probeLimit = wasLate ? firstProbe : Math.min(2 * this.probeLimit, unlimited)
    }
    const isShort = roundTrip < (this.isMeasured ? this.shortest : unmeasuredLateMs)
    // The first answer may have waited for more than the link.
    if (isShort && this.roundTrips.length === 1) this.roundTrips = []
    if (isShort || (isIdle && isDirect)) this.learn(roundTrip)
    // Without data, a late answer has no meaning, and an answer in time has one only if nothing was written since.
    if (isIdle && (wasLate || this.written > marker.end)) return
    if (wasLate) this.reduce(marker, roundTrip)
    else if (id > this.changedAtId) this.grow()
  }

  private get isMeasured(): boolean {
    return this.roundTrips.length > 0
  }

  private get inTimeMs(): number {
    return this.isMeasured ? this.usual + lateMs : unmeasuredLateMs
  }

  /** The longest of the last round trips, within its limit, because the round trips of some links vary. */
  private get usual(): number {
    return Math.min(Math.max(this.shortest, maxVariedRoundTrip), Math.max(...this.roundTrips))
  }

  /** Only round trips without data may be longer: a queue that grows slowly must not increase the usual round trip. */
  private learn(roundTrip: number): void {
    const longest = this.isMeasured ? Math.max(this.shortest, maxGrownRoundTrip) : Infinity
    this.roundTrips = [...this.roundTrips, roundTrip].slice(-keptRoundTrips)
    this.shortest = Math.min(longest, ...this.roundTrips)
  }

  private reduce({ id, inFlight }: Marker, roundTrip: number): void {
    if (id <= this.reducedAtId) return
    this.limit = Math.max(minLimit, Math.min(this.limit / 2, (inFlight * lateMs) / roundTrip))
    this.changedAtId = this.reducedAtId = this.lastId
  }

  private grow(): void {
    if (this.limit === Infinity) return
    this.limit = 2 * this.limit >= unlimited ? Infinity : 2 * this.limit
    this.changedAtId = this.lastId
  }
}
