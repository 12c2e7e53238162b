import type { Observable } from 'rxjs'
import { positiveCount } from '../base/option-kinds/number-option.js'
import { observable } from '../base/option-kinds/observable.js'
import { checkedOption, type OptionTable } from '../base/option-kinds/option.js'
import { checkValue, parseOptions, shown } from '../base/option-kinds/parse-options.js'
import { eventIterator } from '../base/time/stream.js'

export interface IterateOptions {
  /**
   * The unread events that are kept. `'latest'` (the default) keeps the newest event. A whole number from 1 keeps this number of
   * events, and drops the oldest: a loop that is slower than the stream then reads events as old as the buffer is long.
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
  return {
    get dropped() {
      return dropped
    },
    [Symbol.asyncIterator]: () => eventIterator(source$, size, () => dropped++),
  }
}

const optionTable = {
  buffer: checkedOption<'latest' | number>('number', {
    expected: `'latest' or ${positiveCount.expected}`,
    holds: (value) => value === 'latest' || positiveCount.holds(value),
  }),
} satisfies OptionTable<IterateOptions>
