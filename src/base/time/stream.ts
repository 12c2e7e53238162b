import { Observable, Subscription } from 'rxjs'
import { safeUnsubscribe } from '../task/safe-notify.js'
import { maxLateMs, responsiveDeadline } from './timers.js'
import { rxClock } from './clock.js'

/**
 * An observable for `for await` too: each loop has its own subscription, reads the newest unread event, and drops older
 * ones, as `iterate` of `svc-streams/operators` does by default. The loop unsubscribes when it ends. What operators return is a
 * plain observable.
 */
export type Stream<A> = Observable<A> & AsyncIterable<A>

export class EventStream<A> extends Observable<A> {
  [Symbol.asyncIterator](): AsyncIterator<A, undefined, undefined> {
    return eventIterator(this)
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

/** One loop over a source: it subscribes at the first read. Keeps `size` unread events, and calls `onDrop` for each older one. */
export const eventIterator = <A>(
  source$: Observable<A>,
  size = 1,
  onDrop?: () => void,
): AsyncIterator<A, undefined, undefined> => {
  const unread: A[] = []
  const reads: PendingRead<A>[] = []
  /** The subscription to the source, and the timer of a late read. */
  const subscription = new Subscription()
  let state: 'new' | 'subscribed' | 'ended' = 'new'
  let failure: { readonly thrown: unknown } | undefined
  /** When the newest event arrived: monotonic, in ms; `Infinity` in virtual time, in which nothing blocks. */
  let latestAt = Infinity
  /** The timer of a late read. */
  let late = Subscription.EMPTY

  /** Answers the pending reads, the oldest first. */
  const serve = (): void => {
    late.unsubscribe()
    while (reads.length > 0 && (unread.length > 0 || state === 'ended')) {
      const read = reads.shift()
      if (unread.length > 0) read?.resolve({ done: false, value: unread.shift() as A })
      else if (failure === undefined) read?.resolve(done)
      else {
        read?.reject(failure.thrown)
        failure = undefined
      }
    }
  }
  const end = (): void => {
    state = 'ended'
    safeUnsubscribe(subscription)
    serve()
  }
  const onEvent = (event: A): void => {
    if (state === 'ended') return
    latestAt = rxClock.isVirtual ? Infinity : rxClock.elapsed()
    // Before the reads are answered: one may wait, although there is an older event.
    if (unread.push(event) > size) {
      unread.shift()
      onDrop?.()
    }
    serve()
  }
  const onError = (thrown: unknown): void => {
    if (state !== 'ended') failure = { thrown }
    end()
  }
  const subscribe = (): void => {
    if (state !== 'new') return
    state = 'subscribed'
    subscription.add(source$.subscribe({ next: onEvent, error: onError, complete: end }))
  }

  return {
    next: () =>
      new Promise((resolve, reject) => {
        reads.push({ resolve, reject })
        subscribe()
        const isLate = unread.length > 0 && rxClock.elapsed() - latestAt > maxLateMs
        if (!isLate || state === 'ended') return serve()
        late.unsubscribe()
        late = responsiveDeadline(rxClock, replacementTime, serve)
        subscription.add(late)
      }),
    return: () => {
      unread.length = 0
      failure = undefined
      end()
      return Promise.resolve(done)
    },
  }
}
