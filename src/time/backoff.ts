/** How failures in a row stretch the wait before the next try. All times in ms. */
export interface BackoffPolicy {
  /** The ceiling of the first wait. */
  readonly initialDelay: number
  /** The ceiling that no wait goes beyond. */
  readonly maxDelay: number
}

/**
 * The wait after so many failures in a row, in ms: exponential with full jitter, that is anywhere between 0 and a
 * ceiling that doubles with each failure. `random` is in [0, 1).
 */
export const backoff = (policy: BackoffPolicy, failures: number, random: number): number =>
  failures === 0
    ? 0
    : Math.round(random * Math.min(policy.maxDelay, policy.initialDelay * 2 ** (failures - 1)))
