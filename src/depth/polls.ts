import { isLeft } from 'fp-ts/lib/Either.js'
import { defer, finalize, repeat, ReplaySubject, share, tap, type Observable } from 'rxjs'
import { publish } from '../diagnostics/publish.js'
import { canonicalAddress, type Address } from '../domain/address.js'
import type { PollSnapshot } from '../domain/snapshot.js'
import type { DepthEvent } from '../http/depth-request.js'
import { fromTask$, type CancellableTask } from '../task/cancellable-task.js'
import { backoff, type BackoffPolicy } from '../time/backoff.js'
import { elapsed } from '../time/clock.js'
import { delay$ } from '../time/deadline.js'
import { checkedDepth$ } from './validate.js'

export interface PollConfig {
  readonly request: (mint: Address) => CancellableTask<DepthEvent>
  readonly reconnect: BackoffPolicy
  /** Host and port of the relayer: how it is called in diagnostics. */
  readonly host: string
}

/** One poll that several may share. */
interface Poll {
  readonly mint: Address
  readonly interval: number
  subscribers: number
  failures: number
  last: DepthEvent | undefined
  /** On the clock that only moves forward, in ms. */
  startedAt: number
  endedAt: number | undefined
  readonly results$: Observable<DepthEvent>
}

/** All polls of a client: one for each mint and interval, for as long as somebody listens. */
export class DepthPolls {
  private readonly polls = new Map<string, Poll>()

  constructor(private readonly config: PollConfig) {}

  depth$(mint: Address, interval: number): Observable<DepthEvent> {
    return checkedDepth$(mint, interval, () => this.shared$(mint, interval))
  }

  snapshot(): readonly PollSnapshot[] {
    return [...this.polls.values()].map(describe)
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

  /** A request at once, and the next when the last has been answered and its time has come. */
  private poll$(poll: Poll): Observable<DepthEvent> {
    const request$ = defer(() => {
      poll.startedAt = elapsed()
      return fromTask$(this.config.request(poll.mint))
    })
    return request$.pipe(
      tap((event) => {
        poll.last = event
        poll.endedAt = elapsed()
        poll.failures = isLeft(event) ? poll.failures + 1 : 0
        this.report(poll, event)
      }),
      repeat({ delay: () => delay$(this.waitAfter(poll)) }),
    )
  }

  private report({ mint, interval, startedAt, failures }: Poll, event: DepthEvent): void {
    const { host } = this.config
    const durationMs = elapsed() - startedAt
    const error = isLeft(event) ? event.left : undefined
    publish('svc-streams:poll', () => ({ host, mint, interval, durationMs, failures, error }))
  }

  /** The longest of what is left of the interval, the backoff, and what the service asks for, in ms. */
  private waitAfter({ interval, startedAt, failures, last }: Poll): number {
    const { reconnect } = this.config
    const left = interval - (elapsed() - startedAt)
    const draw = backoff(reconnect, failures, Math.random())
    const asked =
      last !== undefined && isLeft(last) && last.left._tag === 'HttpError' ? last.left.retryAfterMs : 0
    return Math.max(0, left, draw, Math.min(asked ?? 0, reconnect.maxDelay))
  }
}

const describe = ({ mint, interval, subscribers, last, endedAt }: Poll): PollSnapshot => ({
  mint,
  interval,
  subscribers,
  lastResult: last === undefined ? 'none' : isLeft(last) ? last.left._tag : 'ok',
  lastResultAgeMs: endedAt === undefined ? null : Math.round(elapsed() - endedAt),
})
