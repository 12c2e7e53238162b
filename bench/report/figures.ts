import type { Spread } from '../measure/statistics.js'

/** Three digits that mean something, without a trailing point or an exponent. */
export const figure = (value: number): string => {
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3)
}

/** The median, with the quartiles behind it. */
export const withSpread = ({ median, lower, upper }: Spread): string =>
  `${figure(median)} (${figure(lower)}–${figure(upper)})`
