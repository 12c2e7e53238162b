import { isLeft } from 'fp-ts/lib/Either.js'
import { Observable, Subscription } from 'rxjs'
import type { Publish } from '../../base/diagnostics/messages.js'
import type { Address } from '../../base/domain/address.js'
import { resultOf, type PollSnapshot } from '../../base/domain/snapshot.js'
import { validDepthRequest, type DepthEvent } from '../../wire/http/depth-request.js'
import type { SignedGet } from '../../wire/http/signed-get.js'
import { fromTask$ } from '../../base/task/cancellable-task.js'
import { Multicast } from '../../base/task/multicast.js'
import { maxBlockedMs, type Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import type { MintBackoff } from './mint-backoffs.js'

export interface PollConfig {
  readonly clock: Clock
  /** Time for which a poll continues after its last subscriber has left, in ms. */
  readonly linger: number
  readonly signedGet: Pick<SignedGet, 'request' | 'secrets'>
  /** Host and port of the relayer, for diagnostics. */
  readonly host: string
  readonly publish: Publish
  /** False while a last price is in force that may be too old, until it is known to be current, or its `Stale` is emitted. */
  readonly arePricesSettled: () => boolean
}

/** Interval of the checks whether the prices are settled, in ms. */
const settleCheckInterval = 5

/**
 * One poll, shared by all subscribers of the same mint and interval. It sends one request at a time, and sends requests
 * only while it has subscribers. `linger` ms after the last subscriber has left, it ends and aborts its request. A
 * subscriber that joins before continues the poll. Times are monotonic, in ms.
 */
export class Poll {
  private subscriberCount = 0
  private readonly results$ = new Multicast<DepthEvent>()
  private last: DepthEvent | undefined
  private resultCount = 0
  /** True from the start of a request until its result is delivered. */
  private isRequesting = false
  private startedAt = -Infinity
  private endedAt: number | undefined
  /** Waits for the time of the next request. */
  private nextStart = Subscription.EMPTY
  /** Waits for the end of the poll, while it has no subscribers. */
  private lingering = Subscription.EMPTY
  private request = Subscription.EMPTY
  /** Waits until a depth can be delivered. */
  private held = Subscription.EMPTY
  /** The request, and the observation of the backoff. Closed when the poll has ended. */
  private readonly running: Subscription

  constructor(
    private readonly config: PollConfig,
    private readonly mint: Address,
    private readonly interval: number,
    private readonly backoff: MintBackoff,
    /** Called once, when the poll ends. */
    private readonly onEnd: () => void,
  ) {
    const { currentFailure } = backoff
    this.last = currentFailure?.event
    this.endedAt = currentFailure?.failedAt
    // Another poll of the mint may lengthen or end the wait.
    this.running = backoff.retryAt$.subscribe(() => this.schedule())
  }

  /** The latest result, if any, then each further result. */
  readonly events$ = new Observable<DepthEvent>((subscriber) => {
    const { last, resultCount } = this
    this.results$.subscribe(subscriber)
    this.join()
    subscriber.add(() => this.leave())
    // A transport may have answered in `join`.
    if (last !== undefined && resultCount === this.resultCount && this.isLastCurrent) subscriber.next(last)
  })

  /** True if a new subscriber receives a failure. */
  get isFailing(): boolean {
    return this.last !== undefined && isLeft(this.last)
  }

  get subscribers(): number {
    return this.subscriberCount
  }

  get snapshot(): PollSnapshot {
    const { mint, interval, subscribers, last, endedAt } = this
    const lastResultAgeMs = endedAt === undefined ? null : Math.round(this.config.clock.elapsed() - endedAt)
    return { mint, interval, subscribers, lastResult: resultOf(last), lastResultAgeMs }
  }

  /**
   * Receipt of the latest depth minus its `timestamp`, in ms; `undefined` without subscribers, before the first result, and
   * after a failure.
   */
  get lagMs(): number | undefined {
    return this.subscriberCount === 0 || this.last === undefined ? undefined : lagOf(this.last)
  }

  /** Aborts the request in flight. Idempotent. */
  end(): void {
    if (this.running.closed) return
    this.onEnd()
    this.lingering.unsubscribe()
    this.nextStart.unsubscribe()
    this.running.unsubscribe()
  }

  /** The first subscriber starts the request that is due, synchronously: it may leave when it has the latest result. */
  private join(): void {
    this.subscriberCount++
    if (this.subscriberCount > 1) return
    this.lingering.unsubscribe()
    if (!this.isRequesting && this.msUntilStart() <= 0) this.start()
    else this.schedule()
  }

  private leave(): void {
    this.subscriberCount--
    if (this.subscriberCount > 0 || this.running.closed) return
    const { clock, linger } = this.config
    this.nextStart.unsubscribe()
    if (linger === 0) this.end()
    else this.lingering = delay(clock, linger, () => this.end())
  }

  /** False for a value from before a suspend of the machine. */
  private get isLastCurrent(): boolean {
    const { last, endedAt = -Infinity, interval } = this
    const age = this.config.clock.elapsed() - endedAt
    return last === undefined || isLeft(last) || age < interval + maxBlockedMs
  }

  /**
   * Starts the next request when it is due, in a later event-loop turn: a transport that answers synchronously must not
   * cause a recursion.
   */
  private schedule(): void {
    this.nextStart.unsubscribe()
    if (this.subscriberCount === 0 || this.isRequesting) return
    this.nextStart = delay(this.config.clock, Math.max(0, this.msUntilStart()), () => this.start())
  }

  /** The time until the end of the interval and of the mint's backoff. */
  private msUntilStart(): number {
    const now = this.config.clock.elapsed()
    // Rounded up, because a timer of the platform ignores fractions.
    return Math.max(this.startedAt + this.interval - now, Math.ceil(this.backoff.retryAt - now))
  }

  private start(): void {
    this.isRequesting = true
    this.startedAt = this.config.clock.elapsed()
    const request$ = fromTask$(validDepthRequest(this.config.signedGet, this.mint, () => this.onTurn()))
    this.request = request$.subscribe((event) => this.onResult(event))
    this.running.add(this.request)
  }

  /** Without subscribers, a queued request is not sent. The request is due when a subscriber joins. */
  private onTurn(): void {
    if (this.subscriberCount > 0) return
    this.request.unsubscribe()
    this.isRequesting = false
    this.startedAt = -Infinity
  }

  private onResult(event: DepthEvent): void {
    const { clock } = this.config
    this.endedAt = clock.elapsed()
    this.backoff.onResult(event)
    this.publishResult(event, this.endedAt - this.startedAt)
    this.deliver(event)
    this.isRequesting = false
    this.schedule()
  }

  /**
   * After a blocked event loop, a depth may be read before the prices. It waits for them, because who acts on a depth uses
   * the last price too. A newer result replaces it.
   */
  private deliver(event: DepthEvent): void {
    const { clock, arePricesSettled } = this.config
    this.held.unsubscribe()
    if (!isLeft(event) && !arePricesSettled()) {
      this.held = delay(clock, settleCheckInterval, () => this.deliver(event))
      this.running.add(this.held)
      return
    }
    this.last = event
    this.resultCount++
    this.results$.next(event)
  }

  private publishResult(event: DepthEvent, durationMs: number): void {
    const { mint, interval } = this
    const { host, publish } = this.config
    const { failures } = this.backoff
    publish('svc-streams:poll', () => ({
      ...{ host, mint, interval, durationMs, failures, lagMs: lagOf(event) },
      error: isLeft(event) ? event.left : undefined,
    }))
  }
}

const lagOf = (event: DepthEvent): number | undefined =>
  isLeft(event) ? undefined : event.right.receivedAt - event.right.timestamp
