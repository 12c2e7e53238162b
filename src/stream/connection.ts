import { concat, defer, EMPTY, finalize, ignoreElements, map, of, repeat, type Observable } from 'rxjs'
import { disconnected } from '../errors/constructors.js'
import type { Disconnected } from '../errors/model.js'
import type { Socket } from '../transport/transport.js'
import { backoff, type BackoffPolicy } from './backoff.js'
import { elapsed, wallClock } from '../time/clock.js'
import { delay$ } from '../time/deadline.js'
import { session$, type FrameSink, type SessionConfig, type SessionEvent } from './session.js'

export interface ReconnectPolicy extends BackoffPolicy {
  /** How long a connection must have been up for the backoff to start over, in ms. */
  readonly stableAfter: number
}

export interface ConnectionConfig extends SessionConfig {
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
export class Connection {
  private failures = 0
  private openedAt: number | undefined
  private retryAt = 0

  constructor(private readonly config: ConnectionConfig) {}

  /** What is left of the wait before the next attempt, in ms. */
  get retryInMs(): number {
    return Math.max(0, this.retryAt - elapsed())
  }

  events$(sink: FrameSink): Observable<ConnectionEvent> {
    const attempt$ = defer(() => concat(this.wait$(), this.announce$(), this.session$(sink)))
    return attempt$.pipe(repeat())
  }

  private wait$(): Observable<never> {
    const wait = this.retryInMs
    return wait > 0 ? delay$(wait).pipe(ignoreElements()) : EMPTY
  }

  private announce$(): Observable<ConnectionEvent> {
    return defer(() => of({ _tag: 'Connecting' as const, attempt: this.failures + 1 }))
  }

  private session$(sink: FrameSink): Observable<ConnectionEvent> {
    return session$(this.config, sink).pipe(
      map((event) => (event._tag === 'Lost' ? this.lost(event) : this.opened(event))),
      finalize(() => this.ended()),
    )
  }

  private opened({ socket, seen }: SessionEvent & { _tag: 'Opened' }): ConnectionEvent {
    this.openedAt = elapsed()
    return { _tag: 'Opened', epoch: this.config.nextEpoch(), since: wallClock(), socket, seen }
  }

  private lost({ code, reason }: SessionEvent & { _tag: 'Lost' }): ConnectionEvent {
    this.ended()
    this.failures++
    const retryInMs = backoff(this.config.reconnect, this.failures, Math.random())
    this.retryAt = elapsed() + retryInMs
    return { _tag: 'Down', error: disconnected({ code, reason, attempt: this.failures, retryInMs }) }
  }

  /** Only a connection that stayed up lets the backoff start over: one that is accepted and cut does not. */
  private ended(): void {
    const { stableAfter } = this.config.reconnect
    if (this.openedAt !== undefined && elapsed() - this.openedAt >= stableAfter) this.failures = 0
    this.openedAt = undefined
  }
}
