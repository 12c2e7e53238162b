import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, map, of, type Observable } from 'rxjs'
import { parseAddress } from '../codec/arguments/address.js'
import { parseInterval } from '../codec/arguments/interval.js'
import type { AddSource } from '../diagnostics/collector.js'
import { canonicalAddress, type Address } from '../domain/address.js'
import type { Depth } from '../domain/depth.js'
import type { PollSnapshot } from '../domain/snapshot.js'
import type { DepthError } from '../errors/model.js'
import type { DepthEvent } from '../http/depth-request.js'
import type { BackoffPolicy } from '../time/backoff.js'
import { MintBackoffs } from './mint-backoffs.js'
import { Poll, type PollConfig } from './poll.js'

export interface PollsConfig extends PollConfig {
  /** The backoff after failures. */
  readonly reconnect: BackoffPolicy
  readonly addSource: AddSource
}

/** All polls of a client. A poll runs while it has subscribers, and for `linger` ms after the last one has left. */
export class DepthPolls {
  private readonly polls = new Map<string, Poll>()
  private readonly backoffs: MintBackoffs
  private removeSource: (() => void) | undefined

  constructor(private readonly config: PollsConfig) {
    this.backoffs = new MintBackoffs(config.clock, config.reconnect)
  }

  depth$(mint: Address, interval: number): Observable<DepthEvent> {
    const { secrets } = this.config.signedGet
    // The caller may have confused an argument with a secret.
    return validatedDepth$(mint, interval, () => this.shared$(mint, interval)).pipe(
      map((event) => secrets.redactLeft(event)),
    )
  }

  snapshot(): readonly PollSnapshot[] {
    return [...this.polls.values()].map(({ snapshot }) => snapshot)
  }

  /** Ends all polls, lingering ones included. Called after their subscribers have left. */
  close(): void {
    for (const poll of this.polls.values()) poll.end()
  }

  private shared$(mint: Address, interval: number): Observable<DepthEvent> {
    return defer(() => {
      const key = `${canonicalAddress(mint)} ${interval}`
      return (this.polls.get(key) ?? this.createPoll(key, mint, interval)).events$
    })
  }

  private createPoll(key: string, mint: Address, interval: number): Poll {
    const backoff = this.backoffs.acquire(mint)
    const poll = new Poll(this.config, mint, interval, backoff, () => this.removePoll(key, mint))
    this.polls.set(key, poll)
    const { addSource, host } = this.config
    this.removeSource ??= addSource((collector) => collector.polls({ host, count: this.countSubscribed() }))
    return poll
  }

  private countSubscribed(): number {
    let count = 0
    for (const { subscribers } of this.polls.values()) if (subscribers > 0) count++
    return count
  }

  private removePoll(key: string, mint: Address): void {
    this.polls.delete(key)
    this.backoffs.release(mint)
    if (this.polls.size > 0) return
    this.removeSource?.()
    this.removeSource = undefined
  }
}

/**
 * The contract of every `depth$`: an invalid mint or interval is a Left followed by completion, and each depth carries
 * the mint as the caller wrote it.
 */
export const validatedDepth$ = (
  mint: Address,
  interval: number,
  depthOf$: (mint: Address, interval: number) => Observable<Either<DepthError, Depth>>,
): Observable<Either<DepthError, Depth>> => {
  const parsedMint = parseAddress(mint)
  if (isLeft(parsedMint)) return of(parsedMint)
  const parsedInterval = parseInterval(interval)
  if (isLeft(parsedInterval)) return of(parsedInterval)
  return depthOf$(mint, interval).pipe(
    map((event) => (isLeft(event) ? event : right({ ...event.right, mint }))),
  )
}
