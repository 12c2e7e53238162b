import type { Observable, Subscriber } from 'rxjs'
import { liveSourceOf, liveSources } from '../../base/domain/past.js'
import { safeComplete, safeNext } from '../../base/task/safe-notify.js'
import { EventStream, type Stream } from '../../base/time/stream.js'
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
    const shared$ = new EventStream<E>((subscriber) => {
      if (this.hasStarted) return emitWith(gate, source$, subscriber)
      this.subscribers = [...this.subscribers, subscriber]
      subscriber.add(() => (this.subscribers = this.subscribers.filter((each) => each !== subscriber)))
    })
    this.event$ = gated$(gate, source$, shared$)
  }

  start(): void {
    const error = (thrown: unknown): void => this.run.error(thrown)
    const complete = (): void => {
      this.hasStarted = true
      this.onEnd()
      for (const each of this.subscribers) safeComplete(each)
    }
    this.run.add(this.source$.subscribe({ next: (event) => this.onEvent(event), error, complete }))
  }

  private onEvent(event: E): void {
    this.hasStarted = true
    this.gate.begin(event)
    this.receive(event)
    for (const each of this.subscribers) safeNext(each, event)
    this.gate.end()
  }
}

/**
 * A stream of the client for the strategy, whose orders belong to the events that cause them. `first$`: the stream without a past, if
 * that is another one. A past is joined to the stream of the client, which notifies the account first.
 */
export const gated$ = <E extends MarketEvent>(
  gate: OrderGate,
  source$: Observable<E>,
  first$?: Stream<E>,
): Stream<E> => {
  const source = liveSourceOf(source$)
  const open$ = (onConfirmed?: () => void): Stream<E> =>
    (onConfirmed === undefined ? first$ : undefined) ??
    new EventStream((subscriber) => emitWith(gate, source.open$(onConfirmed), subscriber))
  const stream$ = open$()
  liveSources.set(stream$, { ...source, open$ })
  return stream$
}

/** What a stream emits at once is older than the orders that it causes. */
const emitWith = <E extends MarketEvent>(
  gate: OrderGate,
  source$: Observable<E>,
  subscriber: Subscriber<E>,
): void => {
  let isAtOnce = true
  const next = (event: E): void => {
    if (isAtOnce) return subscriber.next(event)
    gate.begin(event)
    safeNext(subscriber, event)
    gate.end()
  }
  const error = (thrown: unknown): void => subscriber.error(thrown)
  subscriber.add(source$.subscribe({ next, error, complete: () => subscriber.complete() }))
  isAtOnce = false
}
