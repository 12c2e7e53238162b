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

const together = (one: Statistics, other: Statistics): Statistics => {
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
export class WindowStatistics {
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
    this.newest = together(this.newest, ofValue(value))
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
    const all = together(this.old.at(-1) ?? none, this.newest)
    return { ...all, deviation: Math.sqrt(all.m2 / all.count) }
  }

  private moveToOld(): void {
    let statistics = none
    for (const { value, time } of this.entries.reverse()) {
      statistics = together(statistics, ofValue(value))
      this.old.push({ ...statistics, time })
    }
    this.entries = []
    this.newest = none
  }
}
