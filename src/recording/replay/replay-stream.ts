import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import { safeComplete, safeNext } from '../../task/safe-notify.js'

/** One stream of a replay. A late subscriber receives the retained event first. */
export class ReplayStream<E, A> {
  private readonly subscribers = new Set<Subscriber<Either<E, A>>>()
  /** The subscribers as an array, until one joins or leaves. */
  private snapshot: readonly Subscriber<Either<E, A>>[] | undefined
  private lastEvent: Either<E, A> | undefined
  private retainedEvent: Either<E, A> | undefined
  private completed = false

  constructor(
    /** True if late subscribers receive the event, until a later event replaces it. */
    private readonly isRetained: (event: Either<E, A>) => boolean,
    /** Called for each subscriber of a stream that is not completed. Returns the teardown. */
    private readonly onSubscribe: () => () => void,
  ) {}

  readonly event$ = new Observable<Either<E, A>>((subscriber) => {
    if (this.retainedEvent !== undefined) subscriber.next(this.retainedEvent)
    if (this.completed) return subscriber.complete()
    this.add(subscriber)
    subscriber.add(this.onSubscribe())
  })

  /** Also reopens a completed stream: a recording may be appended to another. */
  emit(event: Either<E, A>): void {
    this.completed = false
    this.lastEvent = event
    if (this.isRetained(event)) this.retainedEvent = event
    this.snapshot ??= [...this.subscribers]
    for (const subscriber of this.snapshot) safeNext(subscriber, event)
  }

  /** Late subscribers no longer receive the retained event if it matches. */
  clearRetained(matches: (event: Either<E, A>) => boolean): void {
    if (this.retainedEvent !== undefined && matches(this.retainedEvent)) this.retainedEvent = undefined
  }

  /** Completes the stream. If its last event is an error, late subscribers receive it before the completion. */
  complete(): void {
    this.completed = true
    this.retainedEvent = this.lastEvent !== undefined && isLeft(this.lastEvent) ? this.lastEvent : undefined
    const subscribers = [...this.subscribers]
    this.subscribers.clear()
    this.snapshot = undefined
    for (const subscriber of subscribers) safeComplete(subscriber)
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
