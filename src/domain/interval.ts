/** The longest delay of a timer in Node and in browsers, in ms: about 24.8 days. A longer timer fires immediately. */
export const maxTimerMs = 2 ** 31 - 1

/** True if a poll may have this interval, in ms. */
export const isInterval = (interval: unknown): interval is number =>
  typeof interval === 'number' && interval >= 1 && interval < Infinity
