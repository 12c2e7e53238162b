import { isLeft } from 'fp-ts/lib/Either.js'
import { defer, map, merge, of, repeat, share, switchMap, take, takeUntil, tap, type Observable } from 'rxjs'
import type { Publish } from '../diagnostics/publish.js'
import type { Address } from '../domain/address.js'
import { resultOf, type PollSnapshot } from '../domain/snapshot.js'
import { depthRequest, type DepthEvent } from '../http/depth-request.js'
import type { SignedGet } from '../http/signed-get.js'
import { fromTask$ } from '../task/cancellable-task.js'
import { Multicast } from '../task/multicast.js'
import type { Clock } from '../time/clock.js'
import { delay$ } from '../time/deadline.js'
import { clockOffset, suspendedFor } from '../time/suspend.js'
import type { MintBackoff } from './mint-backoff.js'

export interface PollConfig {
  readonly clock: Clock
  readonly signedGet: Pick<SignedGet, 'request' | 'secrets'>
  /** Host and port of the relayer, for diagnostics. */
  readonly host: string
  readonly publish: Publish
}

/** One poll, shared by all subscribers of the same mint and interval. Times are monotonic, in ms. */
export class Poll {
  subscribers = 0
  private last: DepthEvent | undefined
  private startedAt = -Infinity
  private endedAt: number | undefined
  /** The clock offset at the last result. */
  private offset = 0
  private readonly results$: Observable<DepthEvent>

  constructor(
    private readonly config: PollConfig,
    private readonly mint: Address,
    private readonly interval: number,
    private readonly backoff: MintBackoff,
  ) {
    const { currentFailure } = backoff
    this.last = currentFailure?.event
    this.endedAt = currentFailure?.failedAt
    this.results$ = defer(() => this.request$()).pipe(share({ connector: () => new Multicast() }))
  }

  /** The latest result, if there is one, then each further one. */
  get events$(): Observable<DepthEvent> {
    return defer(() => {
      const last = this.isLastCurrent ? this.last : undefined
      return last === undefined ? this.results$ : merge(this.results$, this.replayed$(last))
    })
  }

  /** False for a value from before a suspend of the machine. */
  private get isLastCurrent(): boolean {
    const { last, offset } = this
    return last === undefined || isLeft(last) || suspendedFor(offset, clockOffset(this.config.clock)) === 0
  }

  get snapshot(): PollSnapshot {
    const { mint, interval, subscribers, last, endedAt } = this
    const lastResultAgeMs = endedAt === undefined ? null : Math.round(this.config.clock.elapsed() - endedAt)
    return { mint, interval, subscribers, lastResult: resultOf(last), lastResultAgeMs }
  }

  /**
   * A value is emitted synchronously, a failure in a later event-loop turn: `retry` without a delay subscribes again
   * inside the emission, which would recurse without end.
   */
  private replayed$(last: DepthEvent): Observable<DepthEvent> {
    if (!isLeft(last)) return of(last)
    return delay$(this.config.clock, this.backoff.nextReplayDelay()).pipe(
      map(() => last),
      takeUntil(this.results$),
    )
  }

  /** Sends one request at a time: the first at once unless the mint's backoff delays it. */
  private request$(): Observable<DepthEvent> {
    const request$ = defer(() => {
      this.startedAt = this.config.clock.elapsed()
      return fromTask$(depthRequest(this.config.signedGet, this.mint))
    }).pipe(
      tap((event) => this.onResult(event)),
      repeat({ delay: () => this.nextRequest$() }),
    )
    const { currentFailure } = this.backoff
    return currentFailure === undefined ? request$ : this.nextRequest$().pipe(switchMap(() => request$))
  }

  /** Emits when the next request is due: after the interval, and after the mint's backoff, which any poll may change. */
  private nextRequest$(): Observable<void> {
    return this.backoff.retryAt$.pipe(
      switchMap((retryAt) => {
        const { clock } = this.config
        const now = clock.elapsed()
        // Rounded up, because a timer of the platform ignores fractions.
        return delay$(clock, Math.max(0, this.startedAt + this.interval - now, Math.ceil(retryAt - now)))
      }),
      take(1),
    )
  }

  private onResult(event: DepthEvent): void {
    this.last = event
    this.endedAt = this.config.clock.elapsed()
    this.offset = clockOffset(this.config.clock)
    this.backoff.onResult(event)
    const { mint, interval } = this
    const { host, publish } = this.config
    const { failures } = this.backoff
    const durationMs = this.endedAt - this.startedAt
    publish('svc-streams:poll', () => ({
      ...{ host, mint, interval, durationMs, failures },
      ...(isLeft(event)
        ? { lagMs: undefined, error: event.left }
        : { lagMs: event.right.receivedAt - event.right.timestamp, error: undefined }),
    }))
  }
}
