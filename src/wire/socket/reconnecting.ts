import { defer, EMPTY, finalize, ignoreElements, map, Observable, repeat, Subject, Subscription } from 'rxjs'
import type { Secrets } from '../auth/secrets.js'
import { parseRetryAfter } from '../codec/http-headers.js'
import type { DiagnosticMessages, Publish } from '../../base/diagnostics/messages.js'
import { disconnected } from '../../base/errors/constructors.js'
import type { Disconnected } from '../../base/errors/model.js'
import { backoff, type BackoffPolicy } from '../../base/time/backoff.js'
import { delay, delay$ } from '../../base/time/timers.js'
import { headerOf, type ResponseHead } from '../transport/ports.js'
import type { Prober } from './guarded-socket.js'
import {
  session$,
  type FrameSink,
  type LostEvent,
  type Session,
  type SessionConfig,
  type SessionEvent,
} from './session.js'
import { hostWithPort } from '../../base/domain/endpoint.js'

export interface ReconnectingConfig extends Omit<SessionConfig, 'url' | 'probeSupport'> {
  /** At least one. After a failure, the next one is dialled. */
  readonly hosts: readonly [Host, ...Host[]]
  /** The index of the host that is dialled first. */
  readonly firstHost: number
  /** The line of the connection: one line at a time dials a host. */
  readonly line: object
  readonly publish: Publish
  readonly reconnect: ReconnectPolicy
  /** Redacted from the reasons of transports, which may contain the URL. */
  readonly secrets: Secrets
}

export type SocketEvent =
  | { readonly _tag: 'Connecting'; readonly attempt: number }
  | Exclude<SessionEvent, LostEvent>
  | { readonly _tag: 'Down'; readonly error: Disconnected }

type EndedConnection = Pick<DiagnosticMessages['svc-streams:disconnected'], 'epoch' | 'upMs' | 'prices'>

/**
 * A WebSocket that is kept alive: while it is subscribed to, it is connecting, open, or waiting for the next dial.
 * `events$` never completes and never fails, for any close code. Failure counts are kept after an unsubscription, so
 * that rapid resubscription cannot cause a dial loop.
 */
export class ReconnectingSocket {
  /** In a row, over all hosts. */
  private failures = 0
  /** When the dial in progress began; `undefined` once it opened or failed. Monotonic, in ms. */
  private dialStartedAt: number | undefined
  private session: Session | undefined
  /** Of the connection, the dial in progress, or the next dial. */
  host: Host
  /** True from the start of a dial to its end, the wait before it included. */
  private isDialling = false
  /** Earliest time of the next dial after an aborted dial, monotonic, in ms. */
  private redialAt = 0
  private readonly retry$ = new Subject<void>()

  constructor(private readonly config: ReconnectingConfig) {
    this.host = this.nextHost(config.firstHost)
  }

  /** The remaining delay after the last failure, in ms; 0 if there is none. */
  get retryInMs(): number {
    return Math.max(0, this.host.retryAt - this.config.clock.elapsed())
  }

  /** Ends the wait for the next dial, because the network has returned. */
  retryNow(): void {
    for (const host of this.config.hosts) host.retryAt = 0
    this.retry$.next()
  }

  events$(sink: FrameSink, prober: Prober): Observable<SocketEvent> {
    // Not `concat`, which is more than 1 % of a page that shows a price.
    const steps = [this.turn$, this.redialDelay$, this.session$(sink, prober)]
    let count = 0
    return defer(() => steps[count++ % steps.length] ?? EMPTY).pipe(
      repeat(),
      finalize(() => this.endDial()),
    )
  }

  /** Emits `Connecting` when the backoff of the next host has passed and no other line dials it. Then completes. */
  private readonly turn$ = new Observable<SocketEvent>((subscriber) => {
    const { clock, line } = this.config
    let waiting = new Subscription()
    const tryHost = (): void => {
      waiting.unsubscribe()
      this.host = this.nextHost(this.config.hosts.indexOf(this.host))
      const { host, retryInMs } = this
      if (retryInMs > 0) waiting = delay(clock, retryInMs, tryHost)
      else if (host.startDial(line)) {
        this.isDialling = true
        subscriber.next({ _tag: 'Connecting', attempt: this.failures + 1 })
        subscriber.complete()
      } else waiting = host.free$.subscribe(tryHost)
    }
    subscriber.add(this.retry$.subscribe(tryHost))
    subscriber.add(() => waiting.unsubscribe())
    tryHost()
  })

  private endDial(): void {
    if (!this.isDialling) return
    this.isDialling = false
    this.host.endDial()
  }

  /** The host of this index or, while its backoff lasts, the one that may be dialled next. */
  private nextHost(index: number): Host {
    const { hosts, clock } = this.config
    const inTurn = [...hosts.slice(index % hosts.length), ...hosts.slice(0, index % hosts.length)]
    const now = clock.elapsed()
    return inTurn.reduce((best, host) =>
      Math.max(host.retryAt, now) < Math.max(best.retryAt, now) ? host : best,
    )
  }

  private session$(sink: FrameSink, prober: Prober): Observable<SocketEvent> {
    return defer(() => {
      const { clock, publish } = this.config
      const { url, name: host, probeSupport } = this.host
      this.dialStartedAt = clock.elapsed()
      const attempt = this.failures + 1
      publish('svc-streams:connecting', () => ({ host, attempt }))
      return session$({ ...this.config, url, probeSupport }, sink, prober)
    }).pipe(
      map((event) => (event._tag === 'Lost' ? this.onLost(event) : this.onOpened(event))),
      finalize(() => this.onUnsubscribe()),
    )
  }

  private onOpened(opened: Exclude<SessionEvent, LostEvent>): SocketEvent {
    const { publish } = this.config
    const { name: host } = this.host
    const { session } = opened
    const { epoch, connectMs } = session
    this.dialStartedAt = undefined
    this.endDial()
    this.session = session
    publish('svc-streams:connected', () => ({ host, epoch, connectMs }))
    return opened
  }

  private onLost({ code, reason, refusal }: LostEvent): SocketEvent {
    const { clock, hosts, publish, reconnect, secrets } = this.config
    const { name: host } = this.host
    const dialledAt = this.dialStartedAt ?? this.session?.openedAt ?? clock.elapsed()
    const connection = this.endConnection()
    this.dialStartedAt = undefined
    this.failures++
    const now = clock.elapsed()
    this.host.onLost(reconnect, now, dialledAt, retryAfter(refusal, clock.wallClock()))
    this.endDial()
    this.host = this.nextHost(hosts.indexOf(this.host) + 1)
    const retryInMs = Math.round(Math.max(0, this.host.retryAt - now))
    const error = disconnected({ code, reason: secrets.redact(reason), attempt: this.failures, retryInMs })
    publish('svc-streams:disconnected', () => ({ host, ...connection, error }))
    return { _tag: 'Down', error }
  }

  /** An aborted dial is not a failure, but it delays the next dial by one backoff step. */
  private onUnsubscribe(): void {
    const { publish, reconnect } = this.config
    const { name: host } = this.host
    if (this.dialStartedAt !== undefined) {
      this.redialAt = this.dialStartedAt + backoff(reconnect, 1, Math.random())
    }
    this.dialStartedAt = undefined
    if (this.session === undefined) return
    const connection = this.endConnection()
    publish('svc-streams:disconnected', () => ({ host, ...connection, error: undefined }))
  }

  private endConnection(): EndedConnection {
    const { session } = this
    if (session === undefined) return { epoch: undefined, upMs: 0, prices: 0 }
    this.session = undefined
    const { epoch, openedAt, prices } = session
    const upMs = this.config.clock.elapsed() - openedAt
    if (upMs >= this.config.reconnect.stableAfter) {
      this.failures = 0
      this.host.onStable(openedAt)
    }
    return { epoch, upMs, prices }
  }

  /** After an aborted dial. `Connecting` is emitted before. */
  private readonly redialDelay$ = defer(() => {
    const { clock } = this.config
    const wait = this.redialAt - clock.elapsed()
    return wait > 0 ? delay$(clock, wait).pipe(ignoreElements()) : EMPTY
  })
}

/** The delay that a refused upgrade requests by its `Retry-After` header, in ms; 0 if it requests none. */
const retryAfter = (refusal: ResponseHead | undefined, now: number): number =>
  refusal === undefined
    ? 0
    : (parseRetryAfter(headerOf(refusal, 'retry-after'), headerOf(refusal, 'date'), now) ?? 0)

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
