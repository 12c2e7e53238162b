/** A topic without a new row gets a row after this time, in ms: readers learn that it is recorded. */
export const heartbeatTime = 2_000

/**
 * A recording without a row for this time has ended, in ms. Until then, readers take its last state for the current one, and
 * another gateway that has the topic stands by.
 */
export const takeoverTime = 5_000

/** Time after rows were given up in which none are written, and between two attempts to open the stream, in ms. */
export const retryAfter = 10_000
