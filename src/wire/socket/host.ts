import { Subject } from 'rxjs'
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
  private readonly freed$ = new Subject<void>()
  /** Emits when another line may dial this host. */
  readonly free$ = this.freed$.asObservable()

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

  /** Returns false while another line dials this host. */
  startDial(line: object): boolean {
    if (this.dialler !== undefined && this.dialler !== line) return false
    this.dialler = line
    this.dials++
    return true
  }

  endDial(): void {
    if (--this.dials > 0) return
    this.dialler = undefined
    this.freed$.next()
  }
}
