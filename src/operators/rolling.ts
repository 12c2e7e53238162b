import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, map } from 'rxjs'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { msFrom, positiveCount } from '../base/option-kinds/number-option.js'
import { checkedOption, oneOf, withDefault, type OptionTable } from '../base/option-kinds/option.js'
import { parseOptions, shown } from '../base/option-kinds/parse-options.js'
import { rxClock } from '../base/time/clock.js'
import type { EitherOperator } from './either.js'

/** The last `count` values; or the values that arrived less than `ms` ago, in ms of Rx time. */
export type RollingWindow =
  { readonly count: number; readonly ms?: never } | { readonly ms: number; readonly count?: never }

export interface RollingOptions {
  /** `'reset'` (the default): a `Left` empties the window, because values may be missing. `'keep'`: it does not. */
  readonly onLeft?: 'reset' | 'keep'
}

/** A value, and statistics of the window that ends with it. */
export interface Rolling {
  readonly value: number
  /** Number of values in the window, at least 1. */
  readonly count: number
  /** True if the window has `count` values; or once the first value since the start or a reset is `ms` old. */
  readonly isFull: boolean
  readonly mean: number
  /** Standard deviation of the population: the root of the mean squared distance from the mean. */
  readonly deviation: number
  readonly min: number
  readonly max: number
  /** Distance of the value from the mean, in deviations. `null` if the deviation is 0. */
  readonly zScore: number | null
}

/**
 * Emits each number with statistics of the window that ends with it. Takes constant time per value, for any length of
 * the window, and rounding errors do not add up over the values.
 *
 * ```
 * source                 -1-3-5-L-7-|     L: Left
 * rolling({ count: 2 })  -a-b-c-L-d-|     b: mean 2, deviation 1, full   c: mean 4   d: mean 7, count 1, not full
 * ```
 *
 * - A `Left` passes. By default, it also empties the window, because values may be missing.
 * - With `{ ms }`, a value leaves the window `ms` after its arrival. Nothing is emitted then: the window is that of the
 *   next value. Arrivals differ by some ms between a live run and its replay. For equal results, use `{ count }` after
 *   `candles` or `snapshots`.
 * - A value that is not finite makes the statistics `NaN` until it leaves the window.
 *
 * Throws a `ConfigurationError` for a `count` that is not a whole number from 1, for `ms` that is not a finite number of
 * at least 1, for both or none of them, and for another `onLeft`.
 *
 * @example
 * import { isRight } from 'svc-streams'
 * const price$ = client.price$(topic).pipe(mapRight(({ price }) => price))
 * price$.pipe(rolling({ count: 100 })).subscribe((event) => {
 *   if (isRight(event) && event.right.isFull) console.log(event.right.zScore)
 * })
 */
export const rolling = <E>(
  window: RollingWindow,
  options: RollingOptions = {},
): EitherOperator<E, number, Either<E, Rolling>> => {
  const { count: maxCount, ms } = checkWindow(window)
  const { onLeft } = parseOptions(optionTable, options, shown)
  return (source$) =>
    defer(() => {
      const statistics = new WindowStatistics()
      /** Monotonic time of the first value since the start or a reset. */
      let firstAt = 0
      const roll = (value: number): Rolling => {
        const now = ms === Infinity ? 0 : rxClock.elapsed()
        if (statistics.count === 0) firstAt = now
        statistics.push(value, now)
        while (statistics.count > maxCount || now - statistics.oldestTime >= ms) statistics.shift()
        const { count, mean, deviation, min, max } = statistics.current
        const isFull = count === maxCount || now - firstAt >= ms
        const zScore = deviation === 0 ? null : (value - mean) / deviation
        return { value, count, isFull, mean, deviation, min, max, zScore }
      }
      return source$.pipe(
        map((event) => {
          if (!isLeft(event)) return right(roll(event.right))
          if (onLeft === 'reset') statistics.clear()
          return event
        }),
      )
    })
}

/** `Infinity` for the limit that is not given. */
const checkWindow = (window: RollingWindow): { readonly count: number; readonly ms: number } => {
  const { count, ms } = parseOptions(windowTable, window, {
    ...shown,
    expected: 'a window like { count: 20 } or { ms: 60_000 }',
  })
  if ((count === undefined) === (ms === undefined)) {
    throw new ConfigurationError('count', 'rolling needs either count or ms')
  }
  return { count: count ?? Infinity, ms: ms ?? Infinity }
}

const windowTable = {
  count: checkedOption<number>('integer', positiveCount),
  ms: checkedOption<number>('number', msFrom(1)),
} satisfies OptionTable<{ readonly count?: number; readonly ms?: number }>

const optionTable = {
  onLeft: withDefault(checkedOption<'reset' | 'keep'>('word', oneOf('reset', 'keep')), 'reset'),
} satisfies OptionTable<RollingOptions>

/** Statistics of some numbers. */
interface Statistics {
  readonly count: number
  readonly mean: number
  /** The sum of the squared distances from the mean. */
  readonly m2: number
  readonly min: number
  readonly max: number
}

const none: Statistics = { count: 0, mean: 0, m2: 0, min: Infinity, max: -Infinity }

const ofValue = (value: number): Statistics => ({ count: 1, mean: value, m2: 0, min: value, max: value })

const combined = (one: Statistics, other: Statistics): Statistics => {
  if (one.count === 0) return other
  if (other.count === 0) return one
  const count = one.count + other.count
  const distance = other.mean - one.mean
  const share = other.count / count
  return {
    count,
    mean: one.mean + distance * share,
    m2: one.m2 + other.m2 + distance * distance * one.count * share,
    min: Math.min(one.min, other.min),
    max: Math.max(one.max, other.max),
  }
}

interface Entry {
  readonly value: number
  readonly time: number
}

/**
 * Statistics of a window that values enter at one end and leave at the other, in constant amortised time. Nothing is
 * subtracted, so that rounding errors do not add up over the values, and an infinite value has no effect after it has
 * left: two stacks make the queue. New values go onto the one, whose statistics grow. When the other is empty, all are
 * moved to it, newest first, each with the statistics of itself and of all values after it.
 */
class WindowStatistics {
  private entries: Entry[] = []
  private newest = none
  /** For each old value, the newest first: the time, and the statistics from this value to the newest of the stack. */
  private readonly old: (Statistics & { readonly time: number })[] = []

  get count(): number {
    return this.old.length + this.entries.length
  }

  /** The time of the oldest value. The window must not be empty. */
  get oldestTime(): number {
    return this.old.at(-1)?.time ?? this.entries[0]?.time ?? NaN
  }

  push(value: number, time: number): void {
    this.entries.push({ value, time })
    this.newest = combined(this.newest, ofValue(value))
  }

  shift(): void {
    if (this.old.length === 0) this.moveToOld()
    this.old.pop()
  }

  clear(): void {
    this.entries = []
    this.newest = none
    this.old.length = 0
  }

  /** The statistics of the window, with the deviation of the population. It must not be empty. */
  get current(): Statistics & { readonly deviation: number } {
    const all = combined(this.old.at(-1) ?? none, this.newest)
    return { ...all, deviation: Math.sqrt(all.m2 / all.count) }
  }

  private moveToOld(): void {
    let statistics = none
    for (const { value, time } of this.entries.reverse()) {
      statistics = combined(statistics, ofValue(value))
      this.old.push({ ...statistics, time })
    }
    this.entries = []
    this.newest = none
  }
}
