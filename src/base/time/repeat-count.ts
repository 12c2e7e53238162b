/** The longest delay of a repeated subscription or event, in ms. */
const maxDelay = 100

/** Counts how often in a row the same event is repeated to new subscribers. */
export class RepeatCount {
  private event: unknown
  private count = 0

  /** The number of repetitions of the event before this one. */
  next(event: unknown): number {
    this.count = event === this.event ? this.count + 1 : 0
    this.event = event
    return this.count
  }
}

/** The delay of a repetition, in ms: 1 ms more for each one before it, so that `retry` without a delay uses little CPU. */
export const repeatDelay = (count: number): number => Math.min(count, maxDelay)
