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
  private readonly newValues: number[] = []
  private readonly newTimes: number[] = []
  private readonly newest = new Aggregate()
  /** For each old value, the newest first: the time, and the aggregate from this value to the newest of the stack. */
  private readonly oldTimes: number[] = []
  private readonly oldMeans: number[] = []
  private readonly oldM2s: number[] = []
  private readonly oldMins: number[] = []
  private readonly oldMaxs: number[] = []

  get count(): number {
    return this.oldTimes.length + this.newValues.length
  }

  /** The time of the oldest value. The window must not be empty. */
  get oldestTime(): number {
    return this.oldTimes.at(-1) ?? this.newTimes[0] ?? NaN
  }

  push(value: number, time: number): void {
    this.newValues.push(value)
    this.newTimes.push(time)
    this.newest.add(value)
  }

  /** Removes the oldest value. */
  shift(): void {
    if (this.oldTimes.length === 0) this.moveToOld()
    this.oldTimes.pop()
    this.oldMeans.pop()
    this.oldM2s.pop()
    this.oldMins.pop()
    this.oldMaxs.pop()
  }

  clear(): void {
    for (const stack of [this.newValues, this.newTimes, this.oldTimes]) stack.length = 0
    for (const stack of [this.oldMeans, this.oldM2s, this.oldMins, this.oldMaxs]) stack.length = 0
    this.newest.clear()
  }

  /** The mean, the deviation of the population, the lowest and the highest value. The window must not be empty. */
  summary(): { mean: number; deviation: number; min: number; max: number } {
    const { newest } = this
    const oldCount = this.oldTimes.length
    if (oldCount === 0) {
      const { count, mean, m2, min, max } = newest
      return { mean, deviation: Math.sqrt(m2 / count), min, max }
    }
    const oldMean = this.oldMeans.at(-1) ?? NaN
    const oldM2 = this.oldM2s.at(-1) ?? NaN
    const count = oldCount + newest.count
    const distance = newest.mean - oldMean
    const share = newest.count / count
    const m2 = oldM2 + newest.m2 + distance * distance * oldCount * share
    return {
      mean: oldMean + distance * share,
      deviation: Math.sqrt(m2 / count),
      min: Math.min(this.oldMins.at(-1) ?? NaN, newest.min),
      max: Math.max(this.oldMaxs.at(-1) ?? NaN, newest.max),
    }
  }

  private moveToOld(): void {
    const { newValues, newTimes, newest } = this
    newest.clear()
    for (let index = newValues.length - 1; index >= 0; index--) {
      newest.add(newValues[index] ?? NaN)
      this.oldTimes.push(newTimes[index] ?? NaN)
      this.oldMeans.push(newest.mean)
      this.oldM2s.push(newest.m2)
      this.oldMins.push(newest.min)
      this.oldMaxs.push(newest.max)
    }
    newValues.length = 0
    newTimes.length = 0
    newest.clear()
  }
}
