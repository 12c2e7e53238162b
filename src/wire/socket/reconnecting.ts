import { defer, EMPTY, finalize, ignoreElements, map, Subject, takeUntil, type Observable } from 'rxjs'
import type { Secrets } from '../auth/secrets.js'
import { parseRetryAfter } from '../codec/http-headers.js'
import type { DiagnosticMessages, Publish } from '../../base/diagnostics/messages.js'
import { disconnected } from '../../base/errors/constructors.js'
import type { Disconnected } from '../../base/errors/model.js'
import { completedTask, fromTask$ } from '../../base/task/cancellable-task.js'
import { backoff, type BackoffPolicy } from '../../base/time/backoff.js'
import { delay$, repeated$ } from '../../base/time/deadline.js'
import { headerOf, type ResponseHead } from '../transport/ports.js'
import type { Prober } from './liveness.js'
import {
  session$,
  type FrameSink,
  type LostEvent,
  type Session,
  type SessionConfig,
  type SessionEvent,
} from './session.js'

export interface ReconnectPolicy extends BackoffPolicy {
  /** How long a connection must be open before the backoff is reset, in ms. */
  readonly stableAfter: number
}

export interface ReconnectingConfig extends SessionConfig {
  /** Host and port of `url`: the name of the connection in diagnostics. */
  readonly host: string
  readonly publish: Publish
  readonly reconnect: ReconnectPolicy
  /** Redacted from the reasons of transports, which may contain the URL. */
  readonly secrets: Secrets
}

export type SocketEvent =
  | { readonly _tag: 'Connecting'; readonly attempt: number }
  | Exclude<SessionEvent, LostEvent>
  | { readonly _tag: 'Down'; readonly error: Disconnected }

/** The part of a `svc-streams:disconnected` message that describes the connection. */
type EndedConnection = Pick<DiagnosticMessages['svc-streams:disconnected'], 'epoch' | 'upMs' | 'prices'>

/**
 * A WebSocket that is kept alive: while it is subscribed to, it is connecting, open, or waiting for the next dial.
 * `events$` never completes and never fails, for any close code. Failure counts are kept after an unsubscription, so
 * that rapid resubscription cannot cause a dial loop.
 */
export class ReconnectingSocket {
  private failures = 0
  /** When the dial in progress began; `undefined` once it opened or failed. Monotonic, in ms. */
  private dialStartedAt: number | undefined
  private session: Session | undefined
  /** Earliest time of the next dial after a failure, monotonic, in ms. */
  private retryAt = 0
  /** Earliest time of the next dial after an aborted dial, monotonic, in ms. */
  private redialAt = 0
  private readonly retry$ = new Subject<void>()

  constructor(private readonly config: ReconnectingConfig) {}

  /** The remaining delay after the last failure, in ms; 0 if there is none. */
  get retryInMs(): number {
    return Math.max(0, this.retryAt - this.config.clock.elapsed())
  }

  /** Ends the wait for the next dial, because the network has returned. */
  retryNow(): void {
    this.retryAt = 0
    this.retry$.next()
  }

  events$(sink: FrameSink, prober: Prober): Observable<SocketEvent> {
    const retryDelay$ = this.waitUntil$(() => this.retryAt).pipe(takeUntil(this.retry$))
    // Reports Connecting while a redial is delayed.
    const redialDelay$ = this.waitUntil$(() => this.redialAt)
    return repeated$(retryDelay$, this.connecting$(), redialDelay$, this.session$(sink, prober))
  }

  private connecting$(): Observable<SocketEvent> {
    return defer(() => fromTask$(completedTask({ _tag: 'Connecting' as const, attempt: this.failures + 1 })))
  }

  private session$(sink: FrameSink, prober: Prober): Observable<SocketEvent> {
    return defer(() => {
      const { clock, host, publish } = this.config
      this.dialStartedAt = clock.elapsed()
      const attempt = this.failures + 1
      publish('svc-streams:connecting', () => ({ host, attempt }))
      return session$(this.config, sink, prober)
    }).pipe(
      map((event) => (event._tag === 'Lost' ? this.onLost(event) : this.onOpened(event))),
      finalize(() => this.onUnsubscribe()),
    )
  }

  private onOpened(opened: Exclude<SessionEvent, LostEvent>): SocketEvent {
    const { host, publish } = this.config
    const { session } = opened
    const { epoch, connectMs } = session
    this.dialStartedAt = undefined
    this.session = session
    publish('svc-streams:connected', () => ({ host, epoch, connectMs }))
    return opened
  }

  private onLost({ code, reason, refusal }: LostEvent): SocketEvent {
    const { clock, host, publish, reconnect, secrets } = this.config
    const connection = this.endConnection()
    this.dialStartedAt = undefined
    this.failures++
    const retryInMs = Math.max(
      backoff(reconnect, this.failures, Math.random()),
      Math.min(retryAfter(refusal, clock.wallClock()), reconnect.maxDelay),
    )
    this.retryAt = clock.elapsed() + retryInMs
    const error = disconnected({ code, reason: secrets.redact(reason), attempt: this.failures, retryInMs })
    publish('svc-streams:disconnected', () => ({ host, ...connection, error }))
    return { _tag: 'Down', error }
  }

  /** An aborted dial is not a failure, but it delays the next dial by one backoff step. */
  private onUnsubscribe(): void {
    const { host, publish, reconnect } = this.config
    if (this.dialStartedAt !== undefined) {
      this.redialAt = this.dialStartedAt + backoff(reconnect, 1, Math.random())
    }
    this.dialStartedAt = undefined
    if (this.session === undefined) return
    const connection = this.endConnection()
    publish('svc-streams:disconnected', () => ({ host, ...connection, error: undefined }))
  }

  /** Resets the backoff only if the connection was stable, so a service that accepts and closes never resets it. */
  private endConnection(): EndedConnection {
    const { session } = this
    if (session === undefined) return { epoch: undefined, upMs: 0, prices: 0 }
    this.session = undefined
    const { epoch, openedAt, prices } = session
    const upMs = this.config.clock.elapsed() - openedAt
    if (upMs >= this.config.reconnect.stableAfter) this.failures = 0
    return { epoch, upMs, prices }
  }

  /** Completes at a monotonic time, in ms. */
  private waitUntil$(time: () => number): Observable<never> {
    const { clock } = this.config
    return defer(() => {
      const wait = time() - clock.elapsed()
      return wait > 0 ? delay$(clock, wait).pipe(ignoreElements()) : EMPTY
    })
  }
}

/** The delay that a refused upgrade requests by its `Retry-After` header, in ms; 0 if it requests none. */
const retryAfter = (refusal: ResponseHead | undefined, now: number): number =>
  refusal === undefined
    ? 0
    : (parseRetryAfter(headerOf(refusal, 'retry-after'), headerOf(refusal, 'date'), now) ?? 0)
