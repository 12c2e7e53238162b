import { hostWithPort } from '../../base/domain/endpoint.js'
import { backoff, type BackoffPolicy } from '../../base/time/backoff.js'

export interface ReconnectPolicy extends BackoffPolicy {
  /** How long a connection must be open before the backoff is reset, in ms. */
  readonly stableAfter: number
}

/** One URL of the service. Its backoff, and whether it answers probes, are shared by all connections of a client. */
export class Host {
  /** Host and port: the name of the connection in diagnostics. */
  readonly name: string
  readonly url: string
  /** The URL as it was given, without its query. */
  readonly shownUrl: string
  /** True once a probe was answered. */
  readonly probeSupport = { isProven: false }
  /** Earliest time of the next dial after a failure, monotonic, in ms. */
  retryAt = 0
  private failures = 0
  private failedAt = -Infinity
  private dialler: object | undefined
  private dials = 0
  private readonly waiting = new Set<() => void>()

  constructor(url: string) {
    const parsed = new URL(url)
    this.url = parsed.href
    this.name = hostWithPort(parsed)
    this.shownUrl = url.replace(/\?.*/, '')
  }

  /** Called when a connection that was stable ends: a service that accepts and closes never resets the backoff. */
  onStable(openedAt: number): void {
    if (openedAt >= this.failedAt) this.failures = 0
  }

  /**
   * A dial has failed, or a connection is lost. Connections that are lost together are one failure. `retryAfterMs`: the delay
   * that the host has requested; 0 if it has requested none. Times are monotonic, in ms.
   */
  onLost(policy: ReconnectPolicy, now: number, dialledAt: number, retryAfterMs: number): void {
    const isKnown = dialledAt < this.failedAt && now < this.retryAt
    if (!isKnown) {
      this.failures++
      this.failedAt = now
    }
    const wait = isKnown ? this.retryAt - now : backoff(policy, this.failures, Math.random())
    this.retryAt = now + Math.max(wait, Math.min(retryAfterMs, policy.maxDelay))
  }

  /** Returns false while another line dials this host. `onFree` is then called once, when its dial has ended. */
  startDial(line: object, onFree: () => void): boolean {
    if (this.dialler !== undefined && this.dialler !== line) {
      this.waiting.add(onFree)
      return false
    }
    this.dialler = line
    this.dials++
    return true
  }

  stopWaiting(onFree: () => void): void {
    this.waiting.delete(onFree)
  }

  endDial(): void {
    if (--this.dials > 0) return
    this.dialler = undefined
    const waiting = [...this.waiting]
    this.waiting.clear()
    for (const onFree of waiting) onFree()
  }
}
