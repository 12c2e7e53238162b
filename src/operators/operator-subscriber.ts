import { Subscriber, type Observable } from 'rxjs'

/**
 * The subscriber of an operator's source: the operator's state, and one method per notification. A chain of RxJS's
 * operators costs several calls and allocations for each event. Unsubscribing from `subscriber` also stops a source that
 * emits synchronously, which a plain `new Observable` around `source$.subscribe` does not; that also costs 4 to 10 ns more
 * per event (`npm run bench -- --only operators`).
 *
 * - An exception of the operator is an Rx error, as in RxJS's operators.
 * - When the source completes, its teardown runs first, then that of the operator, then `onComplete`.
 */
export abstract class OperatorSubscriber<In, Out> extends Subscriber<In> {
  private isSubscribed = false
  private isCompleted = false

  constructor(protected readonly subscriber: Subscriber<Out>) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- RxJS 7 exports no other class for operators
    super(subscriber)
  }

  subscribeTo(source$: Observable<In>): void {
    source$.subscribe(this)
    this.isSubscribed = true
    if (this.isCompleted) this.onComplete()
  }

  protected abstract onEvent(event: In): void

  protected abstract onComplete(): void

  protected override _next(event: In): void {
    try {
      this.onEvent(event)
    } catch (thrown) {
      this.error(thrown)
    }
  }

  /** The teardown of a source that completes while it is subscribed to is known afterwards. */
  protected override _complete(): void {
    this.isCompleted = true
    try {
      this.unsubscribe()
    } finally {
      if (this.isSubscribed) this.onComplete()
    }
  }
}
