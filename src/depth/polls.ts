import { isLeft } from 'fp-ts/lib/Either.js'
import { defer, finalize, repeat, ReplaySubject, share, tap, type Observable } from 'rxjs'
import { publish } from '../diagnostics/publish.js'
import { canonicalAddress, type Address } from '../domain/address.js'
import { resultOf, type PollSnapshot } from '../domain/snapshot.js'
import { depthRequest, type DepthEvent } from '../http/depth-request.js'
import type { SignedGet } from '../http/signed-get.js'
import { fromTask$ } from '../task/cancellable-task.js'
import { backoff, type BackoffPolicy } from '../time/backoff.js'
import type { Clock } from '../time/clock.js'
import { delay$ } from '../time/deadline.js'
import { validatedDepth$ } from './validate.js'

export interface PollConfig {
  readonly clock: Clock
  readonly signedGet: Pick<SignedGet, 'request'>
  /** The backoff after failures. */
  readonly reconnect: BackoffPolicy
  /** Host and port of the relayer, for diagnostics. */
  readonly host: string
}

/** One poll, shared by all subscribers of the same mint and interval. Times are monotonic, in ms. */
interface Poll {
  readonly mint: Address
  readonly interval: number
  readonly results$: Observable<DepthEvent>
  subscribers: number
  /** Consecutive failures. */
  failures: number
  last: DepthEvent | undefined
  startedAt: number
  endedAt: number | undefined
}

/** All polls of a client. A poll runs while it has subscribers. */
export class DepthPolls {
  private readonly polls = new Map<string, Poll>()

  constructor(private readonly config: PollConfig) {}

  depth$(mint: Address, interval: number): Observable<DepthEvent> {
    return validatedDepth$(mint, interval, () => this.shared$(mint, interval))
  }

  snapshot(): readonly PollSnapshot[] {
    const now = this.config.clock.elapsed()
    return [...this.polls.values()].map((poll) => pollSnapshotOf(poll, now))
  }

  private shared$(mint: Address, interval: number): Observable<DepthEvent> {
    return defer(() => {
      const key = `${canonicalAddress(mint)} ${interval}`
      const poll = this.polls.get(key) ?? this.createPoll(mint, interval)
      this.polls.set(key, poll)
      poll.subscribers++
      return poll.results$.pipe(
        finalize(() => {
          poll.subscribers--
          if (poll.subscribers === 0) this.polls.delete(key)
        }),
      )
    })
  }

  private createPoll(mint: Address, interval: number): Poll {
    const poll: Poll = {
      mint,
      interval,
      subscribers: 0,
      failures: 0,
      last: undefined,
      startedAt: 0,
      endedAt: undefined,
      results$: defer(() => this.poll$(poll)).pipe(
        share({
          connector: () => new ReplaySubject(1),
          resetOnComplete: true,
          resetOnError: true,
          resetOnRefCountZero: true,
        }),
      ),
    }
    return poll
  }

  /** Sends one request at a time: the first on subscription, each further one a delay after the previous result. */
  private poll$(poll: Poll): Observable<DepthEvent> {
    const request$ = defer(() => {
      poll.startedAt = this.config.clock.elapsed()
      return fromTask$(depthRequest(this.config.signedGet, poll.mint))
    })
    return request$.pipe(
      tap((event) => this.onResult(poll, event)),
      repeat({ delay: () => delay$(this.config.clock, this.delayAfter(poll)) }),
    )
  }

  private onResult(poll: Poll, event: DepthEvent): void {
    poll.last = event
    poll.endedAt = this.config.clock.elapsed()
    poll.failures = isLeft(event) ? poll.failures + 1 : 0
    const { host } = this.config
    const { mint, interval, failures } = poll
    const durationMs = poll.endedAt - poll.startedAt
    const error = isLeft(event) ? event.left : undefined
    publish('svc-streams:poll', () => ({ host, mint, interval, durationMs, failures, error }))
  }

  /**
   * The delay before the next request, in ms: the longest of the rest of the interval, the backoff and the service's
   * `Retry-After`.
   */
  private delayAfter({ interval, startedAt, failures, last }: Poll): number {
    const { clock, reconnect } = this.config
    const rest = interval - (clock.elapsed() - startedAt)
    const afterFailures = backoff(reconnect, failures, Math.random())
    const retryAfterMs =
      last !== undefined && isLeft(last) && 'retryAfterMs' in last.left ? last.left.retryAfterMs : 0
    return Math.max(0, rest, afterFailures, Math.min(retryAfterMs ?? 0, reconnect.maxDelay))
  }
}

const pollSnapshotOf = ({ mint, interval, subscribers, last, endedAt }: Poll, now: number): PollSnapshot => ({
  mint,
  interval,
  subscribers,
  lastResult: resultOf(last),
  lastResultAgeMs: endedAt === undefined ? null : Math.round(now - endedAt),
})
