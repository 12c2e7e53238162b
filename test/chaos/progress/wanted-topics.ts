import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { Address, Price, PriceClient, PriceError } from 'svc-streams'
import { monotonicMs } from './random-service.js'
import type { Blocked, SubscriberEvent } from './waiting-times.js'

type Event = Either<PriceError, Price>

/** A heartbeat of this many ms measures how long the event loop is blocked. */
const heartbeatMs = 5

/** The subscribers of a client, at most one for each topic, with a log of when each topic was wanted. */
export class WantedTopics implements Disposable {
  readonly log: SubscriberEvent[] = []
  /** When the event loop was blocked, by the run or by the machine. */
  readonly blocked: Blocked[] = []
  readonly violations: string[] = []
  /** Each topic that has a subscriber, with its last event. */
  readonly active = new Map<Address, Event | undefined>()
  readonly bases = Array.from({ length: 30 }, (_, index): Address => `0x${(0xabc000 + index).toString(16)}`)
  rejections = 0
  timeouts = 0
  private readonly subscriptions = new Map<Address, Subscription>()
  private lastBeat = monotonicMs()
  private readonly heartbeat = setInterval(() => this.onBeat(), heartbeatMs)

  constructor(
    private readonly client: PriceClient,
    private readonly permanentCount: number,
  ) {}

  get temporary(): readonly Address[] {
    return this.bases.slice(this.permanentCount)
  }

  /** A rejection completes a stream: subscribes to permanent topics again. */
  renewPermanent(): void {
    for (const base of this.bases.slice(0, this.permanentCount)) this.subscribe(base)
  }

  subscribe(base: Address): void {
    if (this.active.has(base)) return
    this.record('wanted', base)
    this.active.set(base, undefined)
    const subscription = this.client.price$(`svc-${base}`).subscribe({
      next: (event) => this.onEvent(base, event),
      error: (error: unknown) => this.violations.push(`${base}: emitted an Rx error: ${String(error)}`),
      complete: () => this.onComplete(base),
    })
    if (this.active.has(base)) this.subscriptions.set(base, subscription)
  }

  unsubscribe(base: Address): void {
    if (!this.active.delete(base)) return
    this.subscriptions.get(base)?.unsubscribe()
    this.record('unwanted', base)
  }

  [Symbol.dispose](): void {
    clearInterval(this.heartbeat)
  }

  private onEvent(base: Address, event: Event): void {
    this.active.set(base, event)
    if (!isLeft(event)) return
    if (event.left._tag === 'SubscriptionTimeout') this.timeouts++
    if (event.left._tag !== 'SubscriptionRejected') return
    this.rejections++
    this.record('rejected', base)
  }

  private onComplete(base: Address): void {
    this.active.delete(base)
    this.record('unwanted', base)
  }

  private record(kind: SubscriberEvent['kind'], base: Address): void {
    this.log.push({ kind, at: monotonicMs(), base })
  }

  private onBeat(): void {
    const now = monotonicMs()
    if (now - this.lastBeat > 4 * heartbeatMs) this.blocked.push({ from: this.lastBeat, to: now })
    this.lastBeat = now
  }
}
