import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, map, of, type Observable } from 'rxjs'
import { canonicalAddress, type Address } from '../../base/domain/topic.js'
import type { AddSource, PollsState } from '../../base/diagnostics/collector.js'
import type { PollSnapshot } from '../../base/domain/snapshot.js'
import type { Depth } from '../../base/domain/depth.js'
import type { DepthError, InvalidInterval, InvalidMint } from '../../base/errors/model.js'
import { parseAddress, parseInterval } from '../../wire/codec/arguments.js'
import type { Secrets } from '../../wire/auth/secrets.js'
import type { DepthEvent } from '../../wire/http/requests.js'
import { AtOnceLimit, withAtOnceLimit$ } from '../../base/time/at-once-limit.js'
import type { BackoffPolicy } from '../../base/time/backoff.js'
import { MintBackoffs, type MintBackoff } from './mint-backoffs.js'
import { Poll, type PollConfig } from './poll.js'

export interface PollsConfig extends PollConfig {
  /** The backoff after failures. */
  readonly reconnect: BackoffPolicy
  /** Redacted from errors. */
  readonly secrets: Secrets
  readonly addSource: AddSource
}

/** All polls of a client. A poll runs while it has subscribers, and for `linger` ms after the last one has left. */
export class DepthPolls {
  private readonly polls = new Map<string, Poll>()
  private readonly backoffs: MintBackoffs
  private readonly limit: AtOnceLimit
  private removeSource: (() => void) | undefined

  constructor(private readonly config: PollsConfig) {
    this.backoffs = new MintBackoffs(config.clock, config.reconnect)
    this.limit = new AtOnceLimit(config.clock)
  }

  depth$(mint: Address, interval: number): Observable<DepthEvent> {
    const { secrets } = this.config
    // The caller may have confused an argument with a secret.
    const redact = <E extends InvalidMint | InvalidInterval>(error: E): E => secrets.redactError(error)
    return validatedDepth$(mint, interval, () => this.shared$(mint, interval), redact)
  }

  snapshot(): readonly PollSnapshot[] {
    return [...this.polls.values()].map(({ snapshot }) => snapshot)
  }

  /** Ends all polls, including lingering polls. Called after their subscribers have left. */
  close(): void {
    for (const poll of this.polls.values()) poll.close()
  }

  private shared$(mint: Address, interval: number): Observable<DepthEvent> {
    return defer(() => {
      const key = `${canonicalAddress(mint)} ${interval}`
      const poll = this.polls.get(key) ?? this.createPoll(key, mint, interval)
      return poll.isFailing ? withAtOnceLimit$(poll.event$, () => true, this.limit) : poll.event$
    })
  }

  private createPoll(key: string, mint: Address, interval: number): Poll {
    const backoff = this.backoffs.acquire(mint)
    const poll = new Poll(this.config, mint, interval, backoff, () => this.removePoll(key, mint, backoff))
    this.polls.set(key, poll)
    this.removeSource ??= this.config.addSource((collector) => collector.polls(this.state()))
    return poll
  }

  private state(): PollsState {
    let count = 0
    let maxLagMs: number | undefined
    for (const { subscribers, lagMs } of this.polls.values()) {
      if (subscribers > 0) count++
      if (lagMs !== undefined) maxLagMs = Math.max(maxLagMs ?? lagMs, lagMs)
    }
    return { host: this.config.relayer.host, count, maxLagMs }
  }

  private removePoll(key: string, mint: Address, backoff: MintBackoff): void {
    this.polls.delete(key)
    this.backoffs.release(mint, backoff)
    if (this.polls.size > 0) return
    this.removeSource?.()
    this.removeSource = undefined
  }
}

/**
 * The contract of every `depth$`: an invalid mint or interval is a `Left` followed by completion, and each depth has
 * the mint in the caller's spelling. `redact`: removes secrets from the error of an argument.
 */
export const validatedDepth$ = (
  mint: Address,
  interval: number,
  depthOf$: (mint: Address, interval: number) => Observable<Either<DepthError, Depth>>,
  redact = (error: InvalidMint | InvalidInterval): DepthError => error,
): Observable<Either<DepthError, Depth>> => {
  const parsedMint = parseAddress(mint)
  if (isLeft(parsedMint)) return of(left(redact(parsedMint.left)))
  const parsedInterval = parseInterval(interval)
  if (isLeft(parsedInterval)) return of(left(redact(parsedInterval.left)))
  return depthOf$(mint, interval).pipe(
    map((event) => (isLeft(event) || event.right.mint === mint ? event : right({ ...event.right, mint }))),
  )
}
