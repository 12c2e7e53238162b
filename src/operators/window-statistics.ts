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

  /** Sets the statistics of the window. An object for them would cost more than their calculation. */
  update(): void {
    const { count, mean, m2, min, max } = this.newest
    const oldCount = this.oldTimes.length
    if (oldCount === 0) return this.set(mean, m2 / count, min, max)
    const last = oldCount - 1
    const oldMean = this.oldMeans[last] ?? NaN
    const total = oldCount + count
    const distance = mean - oldMean
    const share = count / total
    const totalM2 = (this.oldM2s[last] ?? NaN) + m2 + distance * distance * oldCount * share
    const [oldMin, oldMax] = [this.oldMins[last] ?? NaN, this.oldMaxs[last] ?? NaN]
    this.set(oldMean + distance * share, totalM2 / total, Math.min(oldMin, min), Math.max(oldMax, max))
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
