import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { Subscription, type Observable, type Subscriber } from 'rxjs'
import type { NotFresh } from '../errors/model.js'
import { rxClock } from '../time/rx-clock.js'
import { LegsState, type Leg } from './legs-state.js'
import { OperatorSubscriber } from './operator-subscriber.js'

/** The value of a leg, of any type. */
type LegEvent = Either<unknown, unknown>

/**
 * One subscription of `combineFresh`. Updates from inside a handler are queued, so that they do not overtake the event that
 * it handles. Not RxJS's `queueScheduler`: it is shared by the process, and loses what is queued behind an exception.
 */
export class Combination {
  private readonly state: LegsState
  private activeLegs: number
  private isSubscribed = false
  private isEmitting = false
  private readonly queue: (() => void)[] = []
  private readonly legSubscribers = new Subscription()

  constructor(
    private readonly subscriber: Subscriber<Either<NotFresh, object>>,
    keys: readonly string[],
    maxSkew: number,
  ) {
    this.state = new LegsState(keys, maxSkew)
    this.activeLegs = keys.length
  }

  /** The legs are in the order of the keys. The first event follows all synchronous events of the legs. */
  subscribeTo(legs$: readonly Observable<LegEvent>[]): void {
    for (const [index, leg$] of legs$.entries()) {
      const leg = this.state.legs[index]
      if (leg === undefined || this.subscriber.closed) return
      const legSubscriber = new LegSubscriber(this.subscriber, this, leg)
      this.legSubscribers.add(legSubscriber)
      legSubscriber.subscribeTo(leg$)
    }
    this.run(() => {
      this.isSubscribed = true
      this.emit()
      this.completeIfEnded()
    })
  }

  onEvent(leg: Leg, event: LegEvent, at: number): void {
    if (this.isEmitting) {
      this.queueEvent(leg, event, at)
      return
    }
    this.isEmitting = true
    this.update(leg, event, at)
    this.isEmitting = false
    if (this.queue.length > 0) this.runQueue()
  }

  onComplete(leg: Leg): void {
    this.run(() => {
      this.activeLegs -= 1
      if (this.state.complete(leg)) this.emit()
      this.completeIfEnded()
    })
  }

  /** Nothing follows the error, so the other legs end before the queue has been processed. */
  onError(error: unknown): void {
    this.run(() => this.subscriber.error(error))
    this.legSubscribers.unsubscribe()
  }

  /** Apart from `onEvent`, which would allocate the variables of the closure for each event. */
  private queueEvent(leg: Leg, event: LegEvent, at: number): void {
    this.queue.push(() => this.update(leg, event, at))
  }

  private run(update: () => void): void {
    this.queue.push(update)
    if (!this.isEmitting) this.runQueue()
  }

  private runQueue(): void {
    this.isEmitting = true
    while (this.queue.length > 0) this.queue.shift()?.()
    this.isEmitting = false
  }

  private update(leg: Leg, event: LegEvent, at: number): void {
    this.state.update(leg, event, at)
    this.emit()
  }

  private emit(): void {
    if (!this.isSubscribed || this.subscriber.closed) return
    try {
      const result = this.state.nextResult()
      if (result !== undefined) this.subscriber.next(result)
    } catch (thrown) {
      this.subscriber.error(thrown)
    }
  }

  private completeIfEnded(): void {
    if (this.isSubscribed && (this.activeLegs === 0 || !this.state.canRecover)) this.subscriber.complete()
  }
}

class LegSubscriber extends OperatorSubscriber<LegEvent, Either<NotFresh, object>> {
  constructor(
    subscriber: Subscriber<Either<NotFresh, object>>,
    private readonly combination: Combination,
    private readonly leg: Leg,
  ) {
    super(subscriber)
  }

  protected onEvent(event: LegEvent): void {
    this.combination.onEvent(this.leg, event, timeOf(event))
  }

  protected onComplete(): void {
    this.combination.onComplete(this.leg)
  }

  protected override _error(error: unknown): void {
    this.combination.onError(error)
  }
}

const timeOf = (event: LegEvent): number => {
  if (isLeft(event) || typeof event.right !== 'object' || event.right === null) return rxClock.wallClock()
  const { receivedAt } = event.right as { readonly receivedAt?: unknown }
  return typeof receivedAt === 'number' && Number.isFinite(receivedAt) ? receivedAt : rxClock.wallClock()
}
