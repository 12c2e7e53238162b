import { Subscription, type Observable } from 'rxjs'
import { positiveCount } from '../base/option-kinds/number-option.js'
import { observable } from '../base/option-kinds/observable.js'
import { checkedOption, type OptionTable } from '../base/option-kinds/option.js'
import { checkValue, parseOptions, shown } from '../base/option-kinds/parse-options.js'
import { safeUnsubscribe } from '../base/task/safe-notify.js'
import { responsiveDeadline } from '../base/time/deadline.js'
import { rxClock } from '../base/time/rx-clock.js'
import { maxLateMs } from './responsive-delay.js'

/** The time in which the source may replace an event that is read late, in ms. */
const replacementTime = 100

export interface IterateOptions {
  /**
   * The unread events that are kept. `'latest'` (the default) keeps the newest event. A whole number from 1 keeps this
   * number of events, and drops the oldest: a loop that is slower than the stream then reads events as old as the buffer
   * is long.
   */
  readonly buffer?: 'latest' | number
}

/** Events for `for await`. Each loop has its own subscription to the source. */
export interface EventIterable<A> extends AsyncIterable<A> {
  /** Number of events that were dropped in all loops together, because the loops were slower than the source. */
  readonly dropped: number
  [Symbol.asyncIterator](): AsyncIterator<A, undefined, undefined>
}

/**
 * The events of a stream for `for await`. The loop subscribes when it starts, and unsubscribes when it ends, also by
 * `break`, `return` or an exception. Completion ends the loop after the last event. If the stream fails, the loop
 * throws the Rx error after the last event.
 *
 * While the body of a loop awaits, the stream may emit several events. Unread events are dropped, the oldest first, and
 * counted in `dropped`. Memory is therefore bounded. With the default buffer, the loop reads the newest event. With a
 * number, a slow loop reads events with a delay: 2 s for 200 events, if the stream emits 100 events per second. It may
 * then read a value after a later `Left` has arrived, so only the default is safe for a strategy.
 * `Date.now() - receivedAt` of a price shows this delay, without the time on the way from the service.
 *
 * An event that is unread for more than 500 ms is read 100 ms later, unless a newer one arrives: if the body has blocked the
 * event loop, the source could not emit that the value is too old.
 *
 * ```
 * source              -a-b-c-d-|
 * loop, 100 ms each    a     d
 * dropped                    2
 * ```
 *
 * Throws a `ConfigurationError` for a `source$` that is no observable, for a `buffer` that is neither `'latest'` nor a
 * whole number from 1, and for a misspelt option name.
 *
 * @example
 * for await (const event of iterate(client.price$(topic))) console.log(event)
 */
export const iterate = <A>(source$: Observable<A>, options: IterateOptions = {}): EventIterable<A> => {
  checkValue('source$', source$, observable, shown)
  const { buffer = 'latest' } = parseOptions(optionTable, options, shown)
  const size = buffer === 'latest' ? 1 : buffer
  let dropped = 0
  const onDrop = () => {
    dropped++
  }
  return {
    get dropped() {
      return dropped
    },
    [Symbol.asyncIterator]: () => new EventIterator(source$, size, onDrop),
  }
}

const optionTable = {
  buffer: checkedOption<'latest' | number>('number', {
    expected: `'latest' or ${positiveCount.expected}`,
    holds: (value) => value === 'latest' || positiveCount.holds(value),
  }),
} satisfies OptionTable<IterateOptions>

type Result<A> = IteratorResult<A, undefined>

/** A call of `next` that waits for an event. */
interface PendingRead<A> {
  readonly resolve: (result: Result<A>) => void
  readonly reject: (thrown: unknown) => void
}

const done = { done: true, value: undefined } as const

class EventIterator<A> implements AsyncIterator<A, undefined, undefined> {
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
    private readonly size: number,
    private readonly onDrop: () => void,
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
      this.onDrop()
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
