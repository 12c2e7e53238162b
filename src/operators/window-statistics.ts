/** Statistics of some numbers: `m2` is the sum of the squared distances from the mean. */
class Aggregate {
  count = 0
  mean = 0
  m2 = 0
  min = Infinity
  max = -Infinity

  add(value: number): void {
    this.count += 1
    const distance = value - this.mean
    this.mean += distance / this.count
    this.m2 += distance * (value - this.mean)
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
  }

  clear(): void {
    this.count = 0
    this.mean = 0
    this.m2 = 0
    this.min = Infinity
    this.max = -Infinity
  }
}

/**
 * Statistics of a window that values enter at one end and leave at the other, in constant amortised time. Nothing is
 * subtracted, so that rounding errors do not add up over the values, and an infinite value has no effect after it has
 * left: two stacks make the queue. New values go onto the one, whose aggregate grows. When the other is empty, all are
 * moved to it, newest first, each with the aggregate of itself and of all values after it.
 */
export class WindowStatistics {
  // Of the window, after `update`. It must not be empty.
  mean = 0
  /** Of the population. */
  deviation = 0
  min = 0
  max = 0
  private readonly newValues: number[] = []
  private readonly newTimes: number[] = []
  private readonly newest = new Aggregate()
  /** For each old value, the newest first: the time, and the aggregate from this value to the newest of the stack. */
  private readonly old: (Aggregate & { readonly time: number })[] = []

  get count(): number {
    return this.old.length + this.newValues.length
  }

  /** The time of the oldest value. The window must not be empty. */
  get oldestTime(): number {
    return this.old.at(-1)?.time ?? this.newTimes[0] ?? NaN
  }

  push(value: number, time: number): void {
    this.newValues.push(value)
    this.newTimes.push(time)
    this.newest.add(value)
  }

  /** Removes the oldest value. */
  shift(): void {
    if (this.old.length === 0) this.moveToOld()
    this.old.pop()
  }

  clear(): void {
    for (const stack of [this.newValues, this.newTimes, this.old]) stack.length = 0
    this.newest.clear()
  }

  /** Sets the statistics of the window. An object for them would cost more than their calculation. */
  update(): void {
    const { count, mean, m2, min, max } = this.newest
    const old = this.old.at(-1)
    if (old === undefined) return this.set(mean, m2 / count, min, max)
    const total = old.count + count
    const distance = mean - old.mean
    const share = count / total
    const totalM2 = old.m2 + m2 + distance * distance * old.count * share
    this.set(old.mean + distance * share, totalM2 / total, Math.min(old.min, min), Math.max(old.max, max))
  }

  private set(mean: number, variance: number, min: number, max: number): void {
    this.mean = mean
    this.deviation = Math.sqrt(variance)
    this.min = min
    this.max = max
  }

  private moveToOld(): void {
    const { newValues, newTimes, newest } = this
    newest.clear()
    for (let index = newValues.length - 1; index >= 0; index--) {
      newest.add(newValues[index] ?? NaN)
      this.old.push(Object.assign(new Aggregate(), newest, { time: newTimes[index] ?? NaN }))
    }
    newValues.length = 0
    newTimes.length = 0
    newest.clear()
  }
}
