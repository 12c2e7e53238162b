import { Observable, Subscription, type Subscriber } from 'rxjs'
import type { Clock } from './clock.js'
import { delay } from './deadline.js'
import { activeReplayClock, activeTimeKey, rxClock } from './rx-clock.js'

/** The number of subscriptions that may end inside of `subscribe` in one turn of the event loop. */
const maxAtOnce = 100

/** The longest delay of a first event, in ms. */
const maxDelay = 100

/** The time between two subscriptions of one pipeline that does not yield to the event loop, in ms. */
const shortestTurn = 1

/** The number of delays in a row, 95 s, after which the subscribers of a `TestScheduler` receive no first event. */
const maxTestDelays = 1000

/**
 * The source, with a limit for pipelines that subscribe again without a delay, by `retry` or `repeat`. To a source whose first
 * event is a failure, they would subscribe without end. If 100 subscriptions have ended inside of `subscribe` in one turn of
 * the event loop, the next one receives its first event later, and later each time, unless the source emits before. Until then
 * it counts as a subscriber of the source. `isFailing`: false while the first event is a value, which has no limit.
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

/** The subscriptions of one strategy that have ended at once, in one turn of the event loop. */
interface Turn {
  ended: number
  /** The number of delays in a row before the turn. */
  delays: number
  /** Monotonic time of the last subscription or end, in ms. */
  at: number
  /** True once promises have settled. */
  hasYielded: boolean
}

const resolved = Promise.resolve()

/** The limit of the sources that share it. */
export class AtOnceLimit {
  /** By strategy: parameters of a sweep share streams. */
  private readonly turns = new WeakMap<object, Turn>()

  constructor(private readonly clock: Clock = rxClock) {}

  subscribe<A>(source$: Observable<A>, subscriber: Subscriber<A>): void {
    const turn = this.currentTurn()
    if (turn.ended >= maxAtOnce) return this.subscribeLater(source$, subscriber, turn.delays)
    // Before the subscription, which may contain the next one.
    this.set(turn, turn.ended + 1)
    source$.subscribe(subscriber)
    if (subscriber.closed) this.set(turn, turn.ended)
    else turn.ended--
  }

  /** Subscribes at once, without what the source emits inside of `subscribe`, and again later for its first event. */
  private subscribeLater<A>(source$: Observable<A>, subscriber: Subscriber<A>, delays: number): void {
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
    const timer = this.startTimer(delays, () => {
      source$.subscribe(subscriber)
      held.unsubscribe()
    })
    held.add(timer)
    subscriber.add(held)
  }

  private startTimer(delays: number, callback: () => void): Subscription {
    // The time of a `TestScheduler` ends with its last timer. A replay ends by itself.
    const isTest = this.clock.isVirtual && activeReplayClock() === undefined
    if (isTest && delays >= maxTestDelays) return Subscription.EMPTY
    return delay(this.clock, Math.min(delays, maxDelay), () => {
      const turn = this.currentTurn()
      turn.delays = delays + 1
      // The next subscription of this turn is delayed too.
      this.set(turn, maxAtOnce)
      callback()
    })
  }

  private currentTurn(): Turn {
    const key = activeTimeKey()
    const turn = this.turns.get(key)
    if (turn !== undefined && this.isCurrent(turn)) return turn
    const next: Turn = { ended: 0, delays: 0, at: -Infinity, hasYielded: true }
    this.turns.set(key, next)
    return next
  }

  /** In real time, a pipeline may take long, or wait for promises: neither lets the event loop run. */
  private isCurrent({ at, hasYielded }: Turn): boolean {
    return this.clock.elapsed() - at < shortestTurn || (!hasYielded && !this.clock.isVirtual)
  }

  private set(turn: Turn, ended: number): void {
    turn.ended = ended
    turn.at = this.clock.elapsed()
    if (!turn.hasYielded) return
    turn.hasYielded = false
    void resolved.then(() => (turn.hasYielded = true))
  }
}
