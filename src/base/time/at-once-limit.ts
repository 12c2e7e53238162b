import { Observable, Subscription, type Subscriber } from 'rxjs'
import { type Clock, activeReplayClock, activeTimeKey, rxClock } from './clock.js'
import { delay } from './timers.js'

/** The number of subscriptions in a row that may end inside of `subscribe`. After `quiet` ms without one, a new row begins. */
const maxAtOnce = 100
const quiet = 1000

/** The delay of the first event of a further subscription, in ms. */
const pause = 100

/** The number of delays, 100 s, after which the subscribers of a `TestScheduler` receive no first event. */
const maxTestDelays = 1000

/**
 * The source, with a limit for pipelines that subscribe again without a delay, by `retry` or `repeat`. To a source whose first
 * event is a failure, they would subscribe without end. If 100 subscriptions have ended inside of `subscribe`, the next ones
 * receive their first event 100 ms later, unless the source emits before. Until then they count as subscribers of the source.
 * `isFailing`: false while the first event is a value, which has no limit.
 */
export const withAtOnceLimit$ = <A>(
  source$: Observable<A>,
  isFailing: () => boolean = () => true,
  limit = new AtOnceLimit(),
): Observable<A> =>
  new Observable((subscriber) => {
    if (isFailing()) limit.subscribe(source$, subscriber)
    else source$.subscribe(subscriber)
  })

/** The subscriptions of one strategy that have ended at once, in a row. */
interface Row {
  ended: number
  /** Monotonic time of the last subscription, in ms. */
  at: number
}

/** The limit of the sources that share it. */
export class AtOnceLimit {
  /** By strategy: parameters of a sweep share streams. */
  private readonly rows = new WeakMap<object, Row>()

  constructor(private readonly clock: Clock = rxClock) {}

  subscribe<A>(source$: Observable<A>, subscriber: Subscriber<A>): void {
    const row = this.currentRow()
    // Before the subscription, which may contain the next one.
    if (row.ended++ >= maxAtOnce) return this.subscribeLater(source$, subscriber, row)
    source$.subscribe(subscriber)
    if (!subscriber.closed) row.ended--
  }

  /** Subscribes at once, without what the source emits inside of `subscribe`, and again later for its first event. */
  private subscribeLater<A>(source$: Observable<A>, subscriber: Subscriber<A>, { ended }: Row): void {
    const held = new Subscription()
    let isFirst = true
    const pass = (emit: () => void): void => {
      if (isFirst) return
      timer.unsubscribe()
      emit()
    }
    held.add(
      source$.subscribe({
        next: (value) => pass(() => subscriber.next(value)),
        error: (thrown) => pass(() => subscriber.error(thrown)),
        complete: () => pass(() => subscriber.complete()),
      }),
    )
    isFirst = false
    // The time of a `TestScheduler` ends with its last timer. A replay ends by itself.
    const isTest = this.clock.isVirtual && activeReplayClock() === undefined
    const isLast = isTest && ended > maxAtOnce + maxTestDelays
    const onPause = (): void => {
      source$.subscribe(subscriber)
      held.unsubscribe()
    }
    const timer = isLast ? Subscription.EMPTY : delay(this.clock, pause, onPause)
    held.add(timer)
    subscriber.add(held)
  }

  private currentRow(): Row {
    const key = activeTimeKey()
    const now = this.clock.elapsed()
    const row = this.rows.get(key) ?? { ended: 0, at: now }
    this.rows.set(key, row)
    if (now - row.at >= quiet) row.ended = 0
    row.at = now
    return row
  }
}
