/**
 * True for a finite number above zero: the definition of a valid price, for WebSocket, HTTP and depth. The fast path
 * reads prices as bytes, with its own check; `test/wire/codec/fast-path/price-frames.test.ts` tests that both agree.
 */
export const isPriceValue = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value < Infinity

/** True for a finite number that is not negative, such as an amount in USD. */
export const isAmount = (value: number): boolean => value >= 0 && value < Infinity

/** The longest delay of a timer in Node and in browsers, in ms: about 24.8 days. A longer timer fires immediately. */
export const maxTimerMs = 2 ** 31 - 1

/** True if a poll may have this interval, in ms. */
export const isInterval = (interval: unknown): interval is number =>
  typeof interval === 'number' && interval >= 1 && interval < Infinity

/** One token is 10 to the power of its decimals base-token units. Its contract returns its decimals as one byte. */
const maxDecimals = 255

export const decimalsSyntax = `a whole number from 0 to ${maxDecimals}`

export const isDecimals = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxDecimals
