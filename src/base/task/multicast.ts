import { Observable, type Observer, type Subscriber } from 'rxjs'
import { reportError, safeComplete, safeNext } from './safe-notify.js'

/**
 * Like an RxJS `Subject`, with two differences: a subscriber leaves in constant time, where a `Subject` searches an
 * array of all subscribers, and an exception in one subscriber does not affect the others.
 */
export class Multicast<A> extends Observable<A> implements Observer<A> {
  /** In the order in which they joined. */
  private readonly subscribers = new Set<Subscriber<A>>()
  /** Ends a subscriber. Defined once the stream has ended. */
  private end: ((subscriber: Subscriber<A>) => void) | undefined

  constructor() {
    super((subscriber) => this.add(subscriber))
  }

  /** Notifies the subscribers at the time of the call, except those that leave during the call. */
  next(value: A): void {
    if (this.end !== undefined) return
    for (const subscriber of [...this.subscribers]) safeNext(subscriber, value)
  }

  error(thrown: unknown): void {
    this.endWith((subscriber) => {
      try {
        subscriber.error(thrown)
      } catch (other) {
        reportError(other)
      }
    })
  }

  complete(): void {
    this.endWith((subscriber) => safeComplete(subscriber))
  }

  private add(subscriber: Subscriber<A>): (() => void) | undefined {
    if (this.end !== undefined) {
      this.end(subscriber)
      return undefined
    }
    this.subscribers.add(subscriber)
    return () => void this.subscribers.delete(subscriber)
  }

  private endWith(end: (subscriber: Subscriber<A>) => void): void {
    if (this.end !== undefined) return
    this.end = end
    for (const subscriber of [...this.subscribers]) end(subscriber)
    this.subscribers.clear()
  }
}
