/** True if a poll may have this interval, in ms. */
export const isInterval = (interval: unknown): interval is number =>
  typeof interval === 'number' && interval >= 1 && interval < Infinity
