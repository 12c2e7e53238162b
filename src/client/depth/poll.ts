import { isLeft, type Left } from 'fp-ts/lib/Either.js'
import {
  BehaviorSubject,
  defer,
  filter,
  finalize,
  map,
  merge,
  Observable,
  of,
  type ObservableInput,
  repeat,
  ReplaySubject,
  share,
  switchMap,
  take,
  tap,
} from 'rxjs'
import type { Publish } from '../../base/diagnostics/messages.js'
import type { Address } from '../../base/domain/topic.js'
import { resultOf, type PollSnapshot } from '../../base/domain/snapshot.js'
import type { DepthError } from '../../base/errors/model.js'
import { fromTask$, type Cancel } from '../../base/task/cancellable-task.js'
import { backoff, type BackoffPolicy } from '../../base/time/backoff.js'
import { maxBlockedMs, type Clock } from '../../base/time/clock.js'
import { delay$ } from '../../base/time/timers.js'
import type { DepthEvent, Relayer } from '../../wire/http/requests.js'

export interface PollConfig {
  readonly clock: Clock
  /** Time for which a poll continues after its last subscriber has left, in ms. */
  readonly linger: number
  readonly relayer: Pick<Relayer, 'depth' | 'host'>
  /** Calls back, now or later, when the limits of the client allow a request. */
  readonly whenSendable: (onTurn: () => void) => Cancel
  /** False while a last price is in force that may be too old, until it is known to be current, or its `Stale` is emitted. */
  readonly arePricesSettled: () => boolean
  readonly publish: Publish
}

/** The result of a request. `at`: monotonic, in ms. */
interface Result<E extends DepthEvent = DepthEvent> {
  readonly event: E
  readonly at: number
}

/** Interval of the checks whether the prices are settled, in ms. */
const settleCheckInterval = 5

/**
 * One poll, shared by all subscribers of the same mint and interval. It sends one request at a time, and sends requests
 * only while it has subscribers. `linger` ms after the last subscriber has left, it ends and aborts its request. A
 * subscriber that joins before continues the poll. Times are monotonic, in ms.
 */
export class Poll {
  private readonly count$ = new BehaviorSubject(0)
  private readonly closed$ = new ReplaySubject<void>(1)
  private last: Result | undefined
  private startedAt = -Infinity

  constructor(
    private readonly config: PollConfig,
    private readonly mint: Address,
    private readonly interval: number,
    private readonly backoff: MintBackoff,
    /** Called once, when the poll ends. */
    private readonly onEnd: () => void,
  ) {
    this.last = backoff.currentFailure
  }

  /** The latest result, if any, then each further result. */
  readonly event$ = new Observable<DepthEvent>((subscriber) => {
    // The request that is due starts first: a subscriber may leave when it has the latest result.
    this.count$.next(this.subscribers + 1)
    const { last } = this
    this.shared$.subscribe(subscriber)
    subscriber.add(() => this.count$.next(this.subscribers - 1))
    if (last !== undefined && last === this.last && this.isCurrent(last)) subscriber.next(last.event)
  })

  /** True if a new subscriber receives a failure. */
  get isFailing(): boolean {
    return this.last !== undefined && isLeft(this.last.event)
  }

  get subscribers(): number {
    return this.count$.value
  }

  get snapshot(): PollSnapshot {
    const { mint, interval, subscribers, last } = this
    const lastResultAgeMs = last === undefined ? null : Math.round(this.config.clock.elapsed() - last.at)
    return { mint, interval, subscribers, lastResult: resultOf(last?.event), lastResultAgeMs }
  }

  /** Receipt of the latest depth minus its `timestamp`, in ms; `undefined` without subscribers, or after a failure. */
  get lagMs(): number | undefined {
    return this.subscribers === 0 || this.last === undefined ? undefined : lagOf(this.last.event)
  }

  /** Ends the poll, and aborts its request, when it has no subscribers. Idempotent. */
  close(): void {
    this.closed$.next()
  }

  private readonly request$ = defer(() => {
    this.startedAt = this.config.clock.elapsed()
    return fromTask$(this.config.relayer.depth(this.mint))
  }).pipe(tap((event) => this.onResult(event)))

  private readonly sendable$ = defer(() =>
    fromTask$<undefined>((onTurn) => this.config.whenSendable(() => onTurn(undefined))),
  )

  /** Emits once, when the poll has subscribers and the limits of the client allow the request, which then starts at once. */
  private readonly turn$ = this.count$.pipe(
    filter((count) => count > 0),
    take(1),
    switchMap(() => this.sendable$),
    repeat(),
    // The subscribers may have left while the request was queued.
    filter(() => this.subscribers > 0),
    take(1),
  )

  /** Emits after the interval and the backoff of the mint, in a later turn of the event loop. */
  private readonly wait$ = defer(() => delay$(this.config.clock, this.msUntilStart()))

  private readonly dueTurn$ = this.wait$.pipe(switchMap(() => this.turn$))

  /** Emits once, when the next request starts. Another poll of the mint may lengthen or end the wait. */
  private readonly next$ = defer(() => this.backoff.retryAt$).pipe(
    switchMap(() => this.dueTurn$),
    take(1),
  )

  private readonly requests$ = this.request$.pipe(repeat({ delay: () => this.next$ }))

  /** The results, from the first request on: it waits if the mint has failed before. */
  private readonly result$ = defer(() => (this.last === undefined ? this.turn$ : this.next$)).pipe(
    switchMap(() => this.requests$),
    switchMap((event) => this.whenSettled$(event)),
    tap((event) => (this.last = { event, at: this.config.clock.elapsed() })),
  )

  /** Emits when the poll without subscribers ends. */
  private readonly end$ = defer(() => {
    const { clock, linger } = this.config
    return merge(this.closed$, linger === 0 ? of(undefined) : delay$(clock, linger))
  })

  /** One subscription for all subscribers. */
  private readonly shared$ = this.result$.pipe(
    finalize(() => this.onEnd()),
    share({ resetOnRefCountZero: () => this.end$ }),
  )

  private msUntilStart(): number {
    const now = this.config.clock.elapsed()
    // Rounded up, because a timer of the platform ignores fractions.
    return Math.max(0, this.startedAt + this.interval - now, Math.ceil(this.backoff.retryAt - now))
  }

  private onResult(event: DepthEvent): void {
    const { mint, interval, startedAt, backoff } = this
    const { clock, relayer, publish } = this.config
    backoff.onResult(event)
    publish('svc-streams:poll', () => ({
      ...{ host: relayer.host, mint, interval, durationMs: clock.elapsed() - startedAt },
      ...{ failures: backoff.failures, lagMs: lagOf(event) },
      error: isLeft(event) ? event.left : undefined,
    }))
  }

  /**
   * After a blocked event loop, a depth may be read before the prices. It waits for them, because who acts on a depth uses
   * the last price too. A newer result replaces it.
   */
  private whenSettled$(event: DepthEvent): ObservableInput<DepthEvent> {
    const { clock, arePricesSettled } = this.config
    if (isLeft(event) || arePricesSettled()) return [event]
    return delay$(clock, settleCheckInterval).pipe(
      repeat(),
      filter(() => arePricesSettled()),
      take(1),
      map(() => event),
    )
  }

  /** False for a value from before a suspend of the machine. */
  private isCurrent({ event, at }: Result): boolean {
    const { clock, linger } = this.config
    return isLeft(event) || clock.elapsed() - at < this.interval + linger + maxBlockedMs
  }
}

const lagOf = (event: DepthEvent): number | undefined =>
  isLeft(event) ? undefined : event.right.receivedAt - event.right.timestamp

/** The consecutive failures of one mint, and the wait after them. All polls of the mint share it. */
export class MintBackoff {
  failures = 0
  private lastFailure: Result<Left<DepthError>> | undefined
  private readonly retryTimes$ = new BehaviorSubject(0)

  constructor(
    private readonly clock: Clock,
    private readonly policy: BackoffPolicy,
  ) {}

  /** Earliest time of the next request, monotonic, in ms. */
  get retryAt(): number {
    return this.retryTimes$.value
  }

  /** The current `retryAt`, then each change. */
  get retryAt$(): Observable<number> {
    return this.retryTimes$
  }

  /** The last failure, while its wait runs. */
  get currentFailure(): Result<Left<DepthError>> | undefined {
    return this.retryAt > this.clock.elapsed() ? this.lastFailure : undefined
  }

  /** True if its failures no longer count for a new poll. */
  get isForgotten(): boolean {
    return this.failures === 0 || this.clock.elapsed() - this.retryAt >= this.policy.maxDelay
  }

  onResult(event: DepthEvent): void {
    if (isLeft(event)) this.onFailure(event)
    else if (this.failures > 0) this.reset()
  }

  /** A failure never shortens the wait: the service may have requested it in its response to another poll. */
  private onFailure(event: Left<DepthError>): void {
    const now = this.clock.elapsed()
    this.failures++
    this.lastFailure = { event, at: now }
    const retryAt = now + this.delayAfter(event.left)
    if (retryAt > this.retryAt) this.retryTimes$.next(retryAt)
  }

  private reset(): void {
    this.failures = 0
    this.lastFailure = undefined
    this.retryTimes$.next(0)
  }

  /** The longer of the backoff and the service's `Retry-After`, in ms. */
  private delayAfter(error: DepthError): number {
    const retryAfterMs = 'retryAfterMs' in error ? (error.retryAfterMs ?? 0) : 0
    const afterFailures = backoff(this.policy, this.failures, Math.random())
    return Math.max(afterFailures, Math.min(retryAfterMs, this.policy.maxDelay))
  }
}
