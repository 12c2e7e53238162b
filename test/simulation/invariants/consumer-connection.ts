import type { ServerSocket } from '../world/web-socket-transport.js'

// What a gateway promises for the connection of a consumer: `docs/operate/gateway.md`, "Health and limits" and "Slow consumers".
// Times are those in which the process of the gateway was running, in ms.

/** A consumer that answers a ping later is slow, and one for which more bytes are unacknowledged. */
const slowPongMs = 150
const slowBytes = 6_000

/** While a pong is later than this, and than the shortest round trip and `lateMs`, prices are held. */
const usualMs = 500
const lateMs = 300

/** The gateway checks the pongs at an interval, in ms. */
const checkMs = 150

/** A consumer that answers no ping for this time is ended. */
const pongMs = 45_000

/** The time from the close frame to the end of the connection: of one that is too far behind, and of all others. */
const backlogMs = 10_000
const closeMs = 400

/** What the event loop takes. */
const slackMs = 1_000

interface SentPing {
  readonly at: number
  readonly written: number
}

/** What a gateway has written to a consumer, and what has arrived there. */
export class ConsumerConnection {
  private readonly pings = new Map<string, SentPing>()
  private written = 0
  private acknowledged = 0
  private answeredAt: number
  private shortestRoundTrip = Infinity
  private closing: { readonly at: number; readonly limit: number } | undefined
  /** The unsent bytes when they exceeded the limit; `undefined` while they do not. */
  private unsentAtLimit: number | undefined
  /** When the consumer was slow the last time. */
  slowAt: number

  constructor(
    private readonly now: () => number,
    private readonly socket: ServerSocket,
    private readonly maxBufferedBytes: number,
  ) {
    this.slowAt = this.answeredAt = now()
  }

  onWritten(bytes: number): void {
    this.written += bytes
  }

  onPing(payload: string): void {
    this.pings.set(payload, { at: this.now(), written: this.written })
  }

  onPong(payload: string): void {
    this.noteSlowness()
    this.answeredAt = this.now()
    const ping = this.pings.get(payload)
    if (ping === undefined) return
    this.acknowledged = ping.written
    this.shortestRoundTrip = Math.min(this.shortestRoundTrip, this.now() - ping.at)
    this.pings.delete(payload)
  }

  /** The gateway sends a close frame. */
  onClose(reason: string): void {
    const limit = reason.startsWith('too far behind') ? backlogMs : closeMs
    this.closing = { at: this.now(), limit }
    this.onEnd()
  }

  onEnd(): void {
    this.pings.clear()
    this.written = this.acknowledged
  }

  noteSlowness(): void {
    const now = this.now()
    const isLate = this.oldestPing !== undefined && now - this.oldestPing.at > slowPongMs
    if (isLate || this.written - this.acknowledged > slowBytes) this.slowAt = now
  }

  /** What is wrong, if anything is. */
  problem(): string | undefined {
    this.noteSlowness()
    const now = this.now()
    const { closing, oldestPing } = this
    if (closing !== undefined)
      return now - closing.at > closing.limit + slackMs
        ? `was sent a close frame ${now - closing.at} ms before, and its connection is open`
        : undefined
    if (oldestPing !== undefined && now - this.answeredAt > pongMs + slackMs)
      return `has answered no ping for ${now - this.answeredAt} ms, and is not ended`
    return this.problemOfUnsent()
  }

  /** What is wrong with a price that is sent now. A consumer that has never answered a ping gets every price. */
  problemOfPrice(): string | undefined {
    const { oldestPing, shortestRoundTrip } = this
    if (oldestPing === undefined || shortestRoundTrip === Infinity) return undefined
    const waited = this.now() - oldestPing.at
    return waited > Math.max(usualMs, shortestRoundTrip) + lateMs + checkMs
      ? `the consumer has not answered a ping for ${waited} ms`
      : undefined
  }

  /** When too much waits, prices are held: a queue grows by other frames alone, up to the same limit. */
  private problemOfUnsent(): string | undefined {
    const { unsentBytes } = this.socket
    if (unsentBytes <= this.maxBufferedBytes) {
      this.unsentAtLimit = undefined
      return undefined
    }
    this.unsentAtLimit ??= unsentBytes
    const grown = unsentBytes - this.unsentAtLimit
    return grown > this.maxBufferedBytes
      ? `has ${unsentBytes} unsent bytes, ${grown} more than when they exceeded ${this.maxBufferedBytes}`
      : undefined
  }

  private get oldestPing(): SentPing | undefined {
    const [oldest] = this.pings.values()
    return oldest
  }
}
