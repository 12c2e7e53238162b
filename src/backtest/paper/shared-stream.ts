import { Observable, type Subscriber, type Unsubscribable } from 'rxjs'
import { safeComplete, safeNext } from '../../base/task/safe-notify.js'

/**
 * A stream of the client that the account receives, and after it the strategy, over one subscription: a second one for each
 * event would cost a sweep more than the account does. A strategy that subscribes after the first event subscribes to the
 * client itself, which gives it the current one.
 */
export class SharedStream<E> {
  /** For the strategy. */
  readonly event$: Observable<E>
  /** Of the strategy. Replaced on each change, so that a subscriber may come or go while an event is emitted. */
  private subscribers: readonly Subscriber<E>[] = []
  private hasStarted = false

  constructor(
    private readonly source$: Observable<E>,
    private readonly receive: (event: E) => void,
  ) {
    this.event$ = new Observable((subscriber) => {
      if (this.hasStarted) return source$.subscribe(subscriber)
      this.subscribers = [...this.subscribers, subscriber]
      return () => (this.subscribers = this.subscribers.filter((each) => each !== subscriber))
    })
  }

  subscribe(complete: () => void, error: (thrown: unknown) => void): Unsubscribable {
    return this.source$.subscribe({
      next: (event) => {
        this.hasStarted = true
        this.receive(event)
        for (const each of this.subscribers) safeNext(each, event)
      },
      error,
      complete: () => {
        this.hasStarted = true
        complete()
        for (const each of this.subscribers) safeComplete(each)
      },
    })
  }
}
