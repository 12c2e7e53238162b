/** Both in ms. */
export interface BackoffPolicy {
  /** The upper bound of the first delay. */
  readonly initialDelay: number
  /** The upper bound of every delay. */
  readonly maxDelay: number
}

/**
 * The delay after a number of consecutive failures, in ms: exponential backoff with full jitter, so a value between 0
 * and an upper bound that doubles with each failure. `random` is in [0, 1).
 */
export const backoff = (policy: BackoffPolicy, failures: number, random: number): number =>
  failures === 0
    ? 0
    : Math.round(random * Math.min(policy.maxDelay, policy.initialDelay * 2 ** (failures - 1)))

// `retry` without a delay subscribes again as soon as it receives an error. If that error is the first event of the new
// subscription, it would recurse without end. So the error comes later, and later each time.

/** The number of subscribers that may leave upon such an error in one turn. Further subscribers receive it later. */
export const maxRefusals = 10

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

/** The delay of a repetition, in ms: 1 ms more for each one before it, so that `retry` uses little CPU. */
export const repeatDelay = (count: number): number => Math.min(count, maxDelay)
