import type { Observable, Subscriber } from 'rxjs'
import { liveSourceOf, liveStream$ } from '../../base/domain/past.js'
import { safeComplete, safeNext } from '../../base/task/safe-notify.js'
import { EventStream, toStream$, type Stream } from '../../base/time/stream.js'
import type { PaperEvent } from './events.js'
import type { MarketEvent, OrderGate } from './order-gate.js'

/**
 * One subscription for the account, and after it the strategy: a second one would cost a sweep more than the account does. A
 * strategy that subscribes after the first event subscribes to the client, which emits the current event to it.
 */
export class SharedStream<E extends MarketEvent> {
  /** For the strategy. */
  readonly event$: Stream<E>
  /** Of the strategy. Replaced on each change, so that a subscriber may come or go while an event is emitted. */
  private subscribers: readonly Subscriber<E>[] = []
  private hasStarted = false

  /** `run`: the subscriber of the run, which receives an Rx error of the source. */
  constructor(
    private readonly run: Subscriber<PaperEvent>,
    private readonly source$: Observable<E>,
    private readonly gate: OrderGate,
    private readonly receive: (event: E) => void,
    private readonly onEnd: () => void,
  ) {
    const { open$, position, maxLag } = liveSourceOf(source$)
    const shared$ = new EventStream<E>((subscriber) => {
      if (this.hasStarted) {
        source$.subscribe(subscriber)
        return
      }
      this.subscribers = [...this.subscribers, subscriber]
      subscriber.add(() => (this.subscribers = this.subscribers.filter((each) => each !== subscriber)))
    })
    // A past is joined to the stream of the client, which notifies the account first.
    this.event$ = liveStream$(
      (onConfirmed) => (onConfirmed === undefined ? shared$ : toStream$(open$(onConfirmed))),
      position,
      maxLag,
    )
  }

  start(): void {
    const subscription = this.source$.subscribe({
      next: (event) => this.onEvent(event),
      error: (thrown) => this.run.error(thrown),
      complete: () => this.onComplete(),
    })
    this.run.add(subscription)
  }

  private onEvent(event: E): void {
    this.hasStarted = true
    this.gate.onEvent(event)
    this.receive(event)
    for (const each of this.subscribers) safeNext(each, event)
    this.gate.isReading = false
  }

  private onComplete(): void {
    this.hasStarted = true
    this.onEnd()
    for (const each of this.subscribers) safeComplete(each)
  }
}
