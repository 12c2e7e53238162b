import { concat, defer, EMPTY, finalize, ignoreElements, map, of, repeat, type Observable } from 'rxjs'
import { publish } from '../diagnostics/publish.js'
import { disconnected } from '../errors/constructors.js'
import type { Disconnected } from '../errors/model.js'
import { backoff, type BackoffPolicy } from '../time/backoff.js'
import { elapsed, wallClock } from '../time/clock.js'
import { delay$ } from '../time/deadline.js'
import type { Socket } from '../transport/ports.js'
import { session$, type FrameSink, type SessionConfig, type SessionEvent } from './session.js'

export interface ReconnectPolicy extends BackoffPolicy {
  /** How long a connection must have been up for the backoff to start over, in ms. */
  readonly stableAfter: number
}

export interface ReconnectingConfig extends SessionConfig {
  /** Host and port of `url`: how the connection is called in diagnostics. */
  readonly host: string
  readonly reconnect: ReconnectPolicy
  /** The number of the next connection. */
  readonly nextEpoch: () => number
}

export type ConnectionEvent =
  | { readonly _tag: 'Connecting'; readonly attempt: number }
  | OpenedEvent
  | { readonly _tag: 'Down'; readonly error: Disconnected }

export interface OpenedEvent {
  readonly _tag: 'Opened'
  readonly epoch: number
  /** In ms since the Unix epoch. */
  readonly since: number
  readonly socket: Socket
  /** Counts the signs of life. */
  readonly seen: () => number
}

/**
 * A connection that is kept alive: while it is subscribed to there is a socket, or a wait for the next attempt.
 * It never completes and never fails, whatever the close code. What it remembers of failures outlives a
 * subscription, so that coming and going cannot turn into a busy loop of dials.
 */
export class ReconnectingSocket {
  private failures = 0
  /** When the dial began that has neither opened nor failed yet. */
  private dialledAt: number | undefined
  /** The connection that is open; `since` on the clock that only moves forward, in ms. */
  private up: { readonly epoch: number; readonly since: number } | undefined
  private retryAt = 0
  /** When to dial again at the earliest where the last dial was given up. */
  private redialAt = 0

  constructor(private readonly config: ReconnectingConfig) {}

  /** What is left of the wait after the last failure, in ms. */
  get retryInMs(): number {
    return Math.max(0, this.retryAt - elapsed())
  }

  events$(sink: FrameSink): Observable<ConnectionEvent> {
    const retry$ = until$(() => this.retryAt)
    // Somebody wants a connection, and a failure is not what it waits for.
    const redial$ = until$(() => this.redialAt)
    return concat(retry$, this.announce$(), redial$, this.session$(sink)).pipe(repeat())
  }

  private announce$(): Observable<ConnectionEvent> {
    return defer(() => of({ _tag: 'Connecting' as const, attempt: this.failures + 1 }))
  }

  private session$(sink: FrameSink): Observable<ConnectionEvent> {
    return defer(() => {
      this.dialledAt = elapsed()
      return session$(this.config, sink)
    }).pipe(
      map((event) => (event._tag === 'Lost' ? this.lost(event) : this.opened(event))),
      finalize(() => this.hungUp()),
    )
  }

  private opened({ socket, seen }: SessionEvent & { _tag: 'Opened' }): ConnectionEvent {
    const { host, nextEpoch } = this.config
    const epoch = nextEpoch()
    const connectMs = elapsed() - (this.dialledAt ?? 0)
    this.dialledAt = undefined
    this.up = { epoch, since: elapsed() }
    publish('svc-streams:connected', () => ({ host, epoch, connectMs }))
    return { _tag: 'Opened', epoch, since: wallClock(), socket, seen }
  }

  private lost({ code, reason }: SessionEvent & { _tag: 'Lost' }): ConnectionEvent {
    const { host, reconnect } = this.config
    const ended = this.ended()
    this.dialledAt = undefined
    this.failures++
    const retryInMs = backoff(reconnect, this.failures, Math.random())
    this.retryAt = elapsed() + retryInMs
    const error = disconnected({ code, reason, attempt: this.failures, retryInMs })
    publish('svc-streams:disconnected', () => ({ host, ...ended, error }))
    return { _tag: 'Down', error }
  }

  /** A dial that is given up is no failure, but whoever comes and goes again and again must wait like others. */
  private hungUp(): void {
    const { host, reconnect } = this.config
    if (this.dialledAt !== undefined) this.redialAt = this.dialledAt + backoff(reconnect, 1, Math.random())
    this.dialledAt = undefined
    if (this.up === undefined) return
    const ended = this.ended()
    publish('svc-streams:disconnected', () => ({ host, ...ended, error: undefined }))
  }

  /** Only a connection that stayed up lets the backoff start over: one that is accepted and cut does not. */
  private ended(): { readonly epoch: number | undefined; readonly upMs: number } {
    const { up } = this
    const upMs = up === undefined ? 0 : elapsed() - up.since
    if (up !== undefined && upMs >= this.config.reconnect.stableAfter) this.failures = 0
    this.up = undefined
    return { epoch: up?.epoch, upMs }
  }
}

/** Waits for a time of the clock that only moves forward, in ms. */
const until$ = (time: () => number): Observable<never> =>
  defer(() => {
    const wait = time() - elapsed()
    return wait > 0 ? delay$(wait).pipe(ignoreElements()) : EMPTY
  })
