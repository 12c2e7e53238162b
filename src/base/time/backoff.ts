/** Both in ms. */
export interface BackoffPolicy {
  /** The upper bound of the first delay. */
  readonly initialDelay: number
  /** The upper bound of every delay. */
  readonly maxDelay: number
}

/** Exponential backoff with full jitter, in ms: between 0 and a bound that doubles with each failure. `random`: in [0, 1). */
export const backoff = (policy: BackoffPolicy, failures: number, random: number): number =>
  failures === 0
    ? 0
    : Math.round(random * Math.min(policy.maxDelay, policy.initialDelay * 2 ** (failures - 1)))
