import { defer, type Observable } from 'rxjs'
import { canonicalAddress, type Address } from '../../base/domain/address.js'
import type { AddSource, PollsState } from '../../base/diagnostics/collector.js'
import type { PollSnapshot } from '../../base/domain/snapshot.js'
import type { InvalidInterval, InvalidMint } from '../../base/errors/model.js'
import type { DepthEvent } from '../../wire/http/depth-request.js'
import { AtOnceLimit, withAtOnceLimit$ } from '../../base/time/at-once-limit.js'
import type { BackoffPolicy } from '../../base/time/backoff.js'
import { MintBackoffs } from './mint-backoffs.js'
import { Poll, type PollConfig } from './poll.js'
import { validatedDepth$ } from './validate.js'

export interface PollsConfig extends PollConfig {
  /** The backoff after failures. */
  readonly reconnect: BackoffPolicy
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
    const { secrets } = this.config.signedGet
    // The caller may have confused an argument with a secret.
    const redact = <E extends InvalidMint | InvalidInterval>(error: E): E => secrets.redactError(error)
    return validatedDepth$(mint, interval, () => this.shared$(mint, interval), redact)
  }

  snapshot(): readonly PollSnapshot[] {
    return [...this.polls.values()].map(({ snapshot }) => snapshot)
  }

  /** Ends all polls, including lingering polls. Called after their subscribers have left. */
  close(): void {
    for (const poll of this.polls.values()) poll.end()
  }

  private shared$(mint: Address, interval: number): Observable<DepthEvent> {
    return defer(() => {
      const key = `${canonicalAddress(mint)} ${interval}`
      const poll = this.polls.get(key) ?? this.createPoll(key, mint, interval)
      return withAtOnceLimit$(poll.events$, () => poll.isFailing, this.limit)
    })
  }

  private createPoll(key: string, mint: Address, interval: number): Poll {
    const backoff = this.backoffs.acquire(mint)
    const poll = new Poll(this.config, mint, interval, backoff, () => this.removePoll(key, mint))
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
    return { host: this.config.host, count, maxLagMs }
  }

  private removePoll(key: string, mint: Address): void {
    this.polls.delete(key)
    this.backoffs.release(mint)
    if (this.polls.size > 0) return
    this.removeSource?.()
    this.removeSource = undefined
  }
}
