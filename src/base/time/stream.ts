import { Observable, Subscription } from 'rxjs'
import { safeUnsubscribe } from '../task/safe-notify.js'
import { maxLateMs } from './deadline.js'
import { responsiveDeadline } from './responsive-deadlines.js'
import { rxClock } from './rx-clock.js'

/**
 * An observable for `for await` too: each loop has its own subscription, reads the newest unread event, and drops older
 * ones, as `iterate` of `svc-streams/operators` does by default. The loop unsubscribes when it ends. What operators return is a
 * plain observable.
 */
export type Stream<A> = Observable<A> & AsyncIterable<A>

/** An observable that is created like any other. */
export class EventStream<A> extends Observable<A> {
  [Symbol.asyncIterator](): AsyncIterator<A, undefined, undefined> {
    return new EventIterator(this)
  }
}

/**
 * An observable as a stream for `for await`. For a `Client` of your own, whose streams have operators.
 *
 * @example
 * import { take } from 'rxjs'
 * import type { Topic } from 'svc-streams'
 * const demo = { ...client, price$: (topic: Topic) => toStream$(client.price$(topic).pipe(take(10))) }
 */
export const toStream$ = <A>(source$: Observable<A>): Stream<A> =>
  new EventStream((subscriber) => {
    source$.subscribe(subscriber)
  })

/** The time in which the source may replace an event that is read late, in ms. */
const replacementTime = 100

type Result<A> = IteratorResult<A, undefined>

/** A call of `next` that waits for an event. */
interface PendingRead<A> {
  readonly resolve: (result: Result<A>) => void
  readonly reject: (thrown: unknown) => void
}

const done = { done: true, value: undefined } as const

/**
 * One loop over a source: it subscribes at the first read. Keeps `size` unread events, and calls `onDrop` for each older one.
 */
export class EventIterator<A> implements AsyncIterator<A, undefined, undefined> {
  /** Events without a reader. */
  private readonly unread: A[] = []
  private readonly reads: PendingRead<A>[] = []
  private isEnded = false
  private failure: { readonly thrown: unknown } | undefined
  /** When the newest event arrived: monotonic, in ms; `Infinity` in virtual time, in which nothing blocks. */
  private latestAt = Infinity
  /** Set before the source is subscribed to: the loop may be left during that. */
  private subscription: Subscription | undefined
  private readonly lateReads = new Subscription()

  constructor(
    private readonly source$: Observable<A>,
    private readonly size = 1,
    private readonly onDrop?: () => void,
  ) {}

  next(): Promise<Result<A>> {
    return new Promise((resolve, reject) => {
      this.reads.push({ resolve, reject })
      this.subscribe()
      const isLate = this.unread.length > 0 && rxClock.elapsed() - this.latestAt > maxLateMs
      if (!isLate || this.isEnded) this.serve()
      else this.lateReads.add(responsiveDeadline(rxClock, replacementTime, () => this.serve()))
    })
  }

  return(): Promise<Result<A>> {
    this.unread.length = 0
    this.failure = undefined
    this.end()
    return Promise.resolve(done)
  }

  private subscribe(): void {
    if (this.subscription !== undefined || this.isEnded) return
    this.subscription = new Subscription()
    const subscription = this.source$.subscribe({
      next: (event) => this.onEvent(event),
      error: (thrown: unknown) => {
        if (this.isEnded) return
        this.failure = { thrown }
        this.end()
      },
      complete: () => this.end(),
    })
    this.subscription.add(subscription)
  }

  private onEvent(event: A): void {
    if (this.isEnded) return
    this.latestAt = rxClock.isVirtual ? Infinity : rxClock.elapsed()
    // Before the reads are answered: one may wait, although there is an older event.
    if (this.unread.push(event) > this.size) {
      this.unread.shift()
      this.onDrop?.()
    }
    this.serve()
  }

  private end(): void {
    this.isEnded = true
    this.lateReads.unsubscribe()
    safeUnsubscribe(this.subscription)
    this.serve()
  }

  /** Answers the pending reads, the oldest first. */
  private serve(): void {
    const { unread, reads } = this
    while (reads.length > 0 && (unread.length > 0 || this.isEnded)) {
      const read = reads.shift()
      if (unread.length > 0) read?.resolve({ done: false, value: unread.shift() as A })
      else if (this.failure !== undefined) {
        read?.reject(this.failure.thrown)
        this.failure = undefined
      } else read?.resolve(done)
    }
  }
}
