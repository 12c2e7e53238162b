import { Observable, type Subscriber } from 'rxjs'
import { delay } from '../base/time/deadline.js'
import { repeatDelay } from '../base/time/backoff.js'
import { activeTimeKey, activeVirtualClock, rxClock } from '../base/time/rx-clock.js'

/** The number of subscriptions that may end at one time. Further subscriptions start later. */
const maxAtOnce = 100

/** The number of delays in a row, 95 s, after which the subscribers of a `TestScheduler` receive nothing more. */
const maxTestDelays = 1000

/** The subscriptions of one strategy: parameters of a sweep share streams. */
interface Turn {
  /** The virtual time, in ms; undefined if time is real. */
  time: number | undefined
  /** The number of subscriptions that have ended at that time. */
  count: number
  /** The number of delays in a row. */
  delays: number
}

/**
 * The source, with a limit of the subscriptions that end inside of `subscribe`: each further subscription starts later.
 * `retry` and `repeat` without a delay subscribe again at once, which would recurse without end. `counts`: false if the
 * subscription that has ended was successful.
 */
export const withAtOnceLimit$ = <A>(source$: Observable<A>, counts = () => true): Observable<A> => {
  const turns = new WeakMap<object, Turn>()
  return new Observable((subscriber) => {
    const turn = currentTurn(turns)
    // Set before the subscription, which may contain the next subscription.
    if (turn.count++ < maxAtOnce) {
      source$.subscribe(subscriber)
      if (!subscriber.closed || !counts()) turn.count--
      return
    }
    const { delays } = turn
    repeatLater(subscriber, delays, () => {
      // The next one is delayed too.
      currentTurn(turns).count = maxAtOnce
      turn.delays = delays + 1
      source$.subscribe(subscriber)
    })
  })
}

const currentTurn = (turns: WeakMap<object, Turn>): Turn => {
  const key = activeTimeKey()
  const turn = turns.get(key) ?? { time: undefined, count: 0, delays: 0 }
  turns.set(key, turn)
  const time = rxClock.isVirtual ? rxClock.elapsed() : undefined
  if (time !== turn.time) turn.count = 0
  turn.time = time
  // In real time, a pipeline that subscribes again at once leaves no time for promises.
  if (turn.count === 0) void Promise.resolve().then(() => (turn.count = 0))
  return turn
}

/**
 * Calls back after a delay that grows each time, unless the subscriber leaves. `delays`: the number of delays before
 * this one. The time of a `TestScheduler` ends with its last timer, so it must not call back for ever: a replay ends by
 * itself.
 */
export const repeatLater = (subscriber: Subscriber<unknown>, delays: number, callback: () => void): void => {
  const isTestScheduler = rxClock.isVirtual && activeVirtualClock() === undefined
  if (isTestScheduler && delays >= maxTestDelays) return
  subscriber.add(delay(rxClock, repeatDelay(delays), callback))
}
