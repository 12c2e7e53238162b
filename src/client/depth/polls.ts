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
import { MintBackoff, Poll, type PollConfig } from './poll.js'

export interface PollsConfig extends PollConfig {
  readonly reconnect: BackoffPolicy
  /** Redacted from errors. */
  readonly secrets: Secrets
  readonly addSource: AddSource
}

/** The polls of one mint, by their interval. They share the backoff. */
interface MintPolls {
  readonly backoff: MintBackoff
  readonly polls: Map<number, Poll>
}

/**
 * The failures of a mint are kept after its polls have ended, so that rapid resubscription cannot cause a loop of requests. They
 * are forgotten without a timer, which would keep the process alive.
 */
export class DepthPolls {
  /** Those without polls in the order in which the last poll ended. */
  private readonly mints = new Map<Address, MintPolls>()
  private pollCount = 0
  private readonly limit: AtOnceLimit
  private removeSource: (() => void) | undefined

  constructor(private readonly config: PollsConfig) {
    this.limit = new AtOnceLimit(config.clock)
  }

  /** The number of mints that have polls or failures, including those whose failures are forgotten next. */
  get mintCount(): number {
    return this.mints.size
  }

  depth$(mint: Address, interval: number): Observable<DepthEvent> {
    const { secrets } = this.config
    // The caller may have confused an argument with a secret.
    const redact = <E extends InvalidMint | InvalidInterval>(error: E): E => secrets.redactError(error)
    return validatedDepth$(mint, interval, () => this.shared$(mint, interval), redact)
  }

  snapshot(): readonly PollSnapshot[] {
    return this.polls().map(({ snapshot }) => snapshot)
  }

  /** Ends all polls, including lingering polls. Called after their subscribers have left. */
  close(): void {
    for (const poll of this.polls()) poll.close()
  }

  private polls(): readonly Poll[] {
    return [...this.mints.values()].flatMap(({ polls }) => [...polls.values()])
  }

  private shared$(mint: Address, interval: number): Observable<DepthEvent> {
    return defer(() => {
      const poll =
        this.mints.get(canonicalAddress(mint))?.polls.get(interval) ?? this.createPoll(mint, interval)
      return poll.isFailing ? withAtOnceLimit$(poll.event$, () => true, this.limit) : poll.event$
    })
  }

  private createPoll(mint: Address, interval: number): Poll {
    const { clock, reconnect, addSource } = this.config
    const key = canonicalAddress(mint)
    const known = this.mints.get(key)
    const isKnown = known !== undefined && (known.polls.size > 0 || !known.backoff.isForgotten)
    const shared = isKnown ? known : { backoff: new MintBackoff(clock, reconnect), polls: new Map() }
    const poll = new Poll(this.config, mint, interval, shared.backoff, () => this.removePoll(key, interval))
    shared.polls.set(interval, poll)
    this.mints.set(key, shared)
    this.pollCount++
    this.removeSource ??= addSource((collector) => collector.polls(this.state()))
    return poll
  }

  private state(): PollsState {
    let count = 0
    let maxLagMs: number | undefined
    for (const { subscribers, lagMs } of this.polls()) {
      if (subscribers > 0) count++
      if (lagMs !== undefined) maxLagMs = Math.max(maxLagMs ?? lagMs, lagMs)
    }
    return { host: this.config.relayer.host, count, maxLagMs }
  }

  private removePoll(key: Address, interval: number): void {
    const shared = this.mints.get(key)
    shared?.polls.delete(interval)
    if (--this.pollCount === 0) {
      this.removeSource?.()
      this.removeSource = undefined
    }
    if (shared === undefined || shared.polls.size > 0) return
    this.mints.delete(key)
    if (!shared.backoff.isForgotten) this.mints.set(key, shared)
    for (const [other, { polls, backoff }] of this.mints) {
      if (polls.size > 0) continue
      if (!backoff.isForgotten) return
      this.mints.delete(other)
    }
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
