import { isLeft, type Either, type Left } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import { safeComplete, safeNext } from '../../task/safe-notify.js'
import { delay } from '../../time/deadline.js'
import { rxClock } from '../../time/rx-clock.js'

export interface ReplayStreamConfig<E, A> {
  /** True if late subscribers receive the event, until a later event replaces it. */
  readonly isRetained: (event: Either<E, A>) => boolean
  /** True if an event reports an outage. */
  readonly isOutage: (event: Either<E, A>) => boolean
  /** True if late subscribers receive an error after their subscription, as from the polls of a live client. */
  readonly delaysErrors: boolean
  /** Called for each subscriber of a stream that is not completed. Returns the teardown. */
  readonly onSubscribe: () => () => void
}

/** The longest delay of a retained error, in ms. */
const maxErrorDelay = 100

/** The number of subscribers that may leave upon an error before the next ones receive it later. */
const maxRefusals = 10

/** A subscriber that comes within this time after another one left may be the same pipeline, in ms. */
const shortestTurn = 1

/** One stream of a replay. A late subscriber receives the retained event first. */
export class ReplayStream<E, A> {
  private readonly subscribers = new Set<Subscriber<Either<E, A>>>()
  /** The subscribers as an array, until one joins or leaves. */
  private snapshot: readonly Subscriber<Either<E, A>>[] | undefined
  private lastEvent: Either<E, A> | undefined
  private retainedEvent: Either<E, A> | undefined
  private completed = false
  /** An outage, and the subscribers that have not received it. */
  private outage:
    { readonly error: Left<E>; readonly subscribers: readonly Subscriber<Either<E, A>>[] } | undefined
  /** True until the next value of a stream that `Open` does not make current again. */
  private isDownUntilValue = false
  /** When the last subscribers left upon the retained error, monotonic, in ms, and their number. */
  private refusedAt = -Infinity
  private refusals = 0
  /** The number of subscribers that have received the retained error later. */
  private errorRepeats = 0

  constructor(private readonly config: ReplayStreamConfig<E, A>) {}

  readonly event$ = new Observable<Either<E, A>>((subscriber) => {
    const { retainedEvent: retained, config } = this
    if (this.completed) {
      if (retained !== undefined) subscriber.next(retained)
      return subscriber.complete()
    }
    this.add(subscriber)
    if (retained !== undefined) this.repeat(retained, subscriber)
    subscriber.add(config.onSubscribe())
  })

  /** Also reopens a completed stream: a recording may be appended to another. */
  emit(event: Either<E, A>): void {
    this.completed = false
    // A recorded outage is the one that the status has reported already, to those that have not received that.
    const { outage, config } = this
    const isReported = outage !== undefined && config.isOutage(event)
    if (!isReported) this.reportOutage()
    this.outage = undefined
    this.isDownUntilValue &&= isLeft(event)
    this.retain(event)
    this.notify(isReported ? outage.subscribers : this.current, event)
  }

  /** Late subscribers receive the error from now on, the others when it is reported. `untilValue`: not only until `Open`. */
  interrupt(error: Left<E>, untilValue: boolean): void {
    if (this.completed) return
    this.isDownUntilValue = untilValue
    const isDown = this.lastEvent !== undefined && this.config.isOutage(this.lastEvent)
    if (untilValue && isDown && this.outage === undefined) {
      this.retainedEvent = this.lastEvent
      return
    }
    this.outage ??= { error, subscribers: this.current }
    this.retain(error)
  }

  /** Emits the error of an interruption that no recorded event has reported. */
  reportOutage(): void {
    const { outage } = this
    this.outage = undefined
    if (outage !== undefined) this.notify(outage.subscribers, outage.error)
  }

  /** Late subscribers no longer receive an outage: the connection is open. */
  onOpen(): void {
    const { retainedEvent, isDownUntilValue, config } = this
    if (retainedEvent === undefined || isDownUntilValue) return
    if (config.isOutage(retainedEvent)) this.retainedEvent = undefined
  }

  /** Completes the stream. If its last event is an error, late subscribers receive it before the completion. */
  complete(): void {
    this.completed = true
    this.outage = undefined
    this.retainedEvent = this.lastEvent !== undefined && isLeft(this.lastEvent) ? this.lastEvent : undefined
    const subscribers = [...this.subscribers]
    this.subscribers.clear()
    this.snapshot = undefined
    for (const subscriber of subscribers) safeComplete(subscriber)
  }

  private get current(): readonly Subscriber<Either<E, A>>[] {
    return (this.snapshot ??= [...this.subscribers])
  }

  private notify(subscribers: readonly Subscriber<Either<E, A>>[], event: Either<E, A>): void {
    for (const subscriber of subscribers) safeNext(subscriber, event)
  }

  private retain(event: Either<E, A>): void {
    this.lastEvent = event
    this.errorRepeats = 0
    if (this.config.isRetained(event)) this.retainedEvent = event
  }

  private add(subscriber: Subscriber<Either<E, A>>): void {
    this.subscribers.add(subscriber)
    this.snapshot = undefined
    subscriber.add(() => {
      this.subscribers.delete(subscriber)
      this.snapshot = undefined
    })
  }

  /**
   * Emits the retained event. `retry` without a delay subscribes again as soon as it receives an error, which would recurse
   * without end. After `maxRefusals`, subscribers therefore receive it later, as from a live client.
   */
  private repeat(retained: Either<E, A>, subscriber: Subscriber<Either<E, A>>): void {
    const isDelayed = isLeft(retained) && (this.config.delaysErrors || this.isRefused)
    if (isLeft(retained)) subscriber.add(() => this.refuse())
    if (!isDelayed) return subscriber.next(retained)
    const ms = Math.min(this.errorRepeats++, maxErrorDelay)
    subscriber.add(
      delay(rxClock, ms, () => {
        if (this.lastEvent === retained && !this.completed) safeNext(subscriber, retained)
      }),
    )
  }

  private get isRefused(): boolean {
    return this.refusals >= maxRefusals && rxClock.elapsed() - this.refusedAt < shortestTurn
  }

  private refuse(): void {
    const now = rxClock.elapsed()
    this.refusals = now - this.refusedAt < shortestTurn ? this.refusals + 1 : 1
    this.refusedAt = now
  }
}
