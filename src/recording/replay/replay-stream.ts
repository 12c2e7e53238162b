import { isLeft, type Either, type Left } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import { RetainedEvent, type Retention } from '../../client/retained-event.js'
import { safeComplete, safeNext } from '../../task/safe-notify.js'

export interface ReplayStreamConfig<E, A> {
  /** What late subscribers receive. */
  readonly retention: Retention<E, A>
  /** The monotonic time of the replay, in ms. */
  readonly elapsed: () => number
  /** True if an event reports an outage. */
  readonly isOutage: (event: Either<E, A>) => boolean
  /** Called for each subscriber of a stream that is not completed. Returns the teardown. */
  readonly onSubscribe: () => () => void
}

/** One stream of a replay. A late subscriber receives the retained event first. */
export class ReplayStream<E, A> {
  private readonly subscribers = new Set<Subscriber<Either<E, A>>>()
  /** The subscribers as an array, until one joins or leaves. */
  private snapshot: readonly Subscriber<Either<E, A>>[] | undefined
  private lastEvent: Either<E, A> | undefined
  private readonly retained: RetainedEvent<E, A>
  private completed = false
  /** An outage, and the subscribers that have not received it. */
  private outage:
    { readonly error: Left<E>; readonly subscribers: readonly Subscriber<Either<E, A>>[] } | undefined
  /** True until the next value of a stream that `Open` does not make current again. */
  private isDownUntilValue = false
  constructor(private readonly config: ReplayStreamConfig<E, A>) {
    this.retained = new RetainedEvent(config.retention, config.elapsed)
  }

  readonly event$ = new Observable<Either<E, A>>((subscriber) => {
    if (this.completed) return this.retained.end(subscriber)
    this.add(subscriber)
    this.retained.repeat(subscriber)
    subscriber.add(this.config.onSubscribe())
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
      this.retained.event = this.lastEvent
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
    const { retained, isDownUntilValue, config } = this
    if (retained.event === undefined || isDownUntilValue) return
    if (config.isOutage(retained.event)) retained.event = undefined
  }

  /** Completes the stream. If its last event is an error, late subscribers receive it before the completion. */
  complete(): void {
    this.completed = true
    this.outage = undefined
    this.retained.event = this.lastEvent !== undefined && isLeft(this.lastEvent) ? this.lastEvent : undefined
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
    const before = this.retained.event
    const next = this.config.retention.retainedAfter(event, before)
    this.retained.event = next ?? (this.isDownUntilValue ? before : undefined)
  }

  private add(subscriber: Subscriber<Either<E, A>>): void {
    this.subscribers.add(subscriber)
    this.snapshot = undefined
    subscriber.add(() => {
      this.subscribers.delete(subscriber)
      this.snapshot = undefined
    })
  }
}
