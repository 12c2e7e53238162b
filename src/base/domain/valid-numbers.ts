// The numbers of the protocol and of callers that are valid.

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

/** The latest time of a `Date`, in ms since the Unix epoch; the earliest time is its negative. */
export const maxTime = 8.64e15

/** True for a time that counts from 0, as that of a simulation does. */
export const isFromZero = (time: number): boolean => Math.abs(time) < 1e8

export type TimeUnit = 'seconds' | 'microseconds' | 'nanoseconds'

/**
 * True for the `receivedAt` of a value, and for the `timestamp` of a depth, in ms since the Unix epoch. They are those of a
 * client and of a service, whose clocks may be wrong.
 */
export const isValueTime = (time: number): boolean => Math.abs(time) <= Number.MAX_SAFE_INTEGER

/** True for the number of a connection, from 1, and for 0, of a price over HTTP. */
export const isEpoch = (epoch: number): boolean => Number.isSafeInteger(epoch) && epoch >= 0

/**
 * The unit of a time that cannot be in ms since the Unix epoch: in ms it would be a time shortly after 1970, or after
 * the year 5138. `undefined` for any other time.
 */
export const unitOfTime = (time: number): TimeUnit | undefined => {
  if (time >= 1e8 && time < 1e11) return 'seconds'
  if (time >= 1e14 && time < 1e17) return 'microseconds'
  return time >= 1e17 && time < 1e20 ? 'nanoseconds' : undefined
}

/** True if a poll may have this interval, in ms. */
export const isInterval = (interval: unknown): interval is number =>
  typeof interval === 'number' && interval >= 1 && interval < Infinity

/** One token is 10 to the power of its decimals base-token units. Its contract returns its decimals as one byte. */
const maxDecimals = 255

export const decimalsSyntax = `a whole number from 0 to ${maxDecimals}`

export const isDecimals = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxDecimals
